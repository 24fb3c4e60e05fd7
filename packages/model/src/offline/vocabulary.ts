/** Words that say what kind of question it is, or that every question about code may hold. */
export const stopWords: ReadonlySet<string> = new Set(
  `a an the this that these those it its i me my you your we our us they them their is are was were be been being am do does
  did done have has had can could shall should will would may might must what where which who whose when why how in on at of
  to from for with without by as into over under about between and or but not no if then than so please tell show give find
  get see look let know want need like explain describe list count search summarize there here all any some each every only
  just also more most many much mean means contain contains content exist exists say says happen happens use used uses using
  cover covers covered time times work works make made go goes come support supported available often mention mentioned file
  files folder folders directory codebase source project repo repository workspace line lines place function functions method
  methods class classes module modules part thing things something implemented implement implementation defined define
  definition declared located location called calls caller callers handled handle run current add new
  在 哪 哪里 哪儿 哪个 哪些 那里 是 什么 的 了 着 过 吗 呢 吧 啊 有 和 与 或 及 这 那 这个 那个 这些 那些 它 我 你 我们 你们 请 请问 帮 帮我 一下 告诉 解释 说明
  介绍 描述 列出 列举 显示 查找 查看 看看 看 找到 找 没有 是否 可以 能够 能 会 为什么 为 怎么 怎样 如何 多少 几 个 几个 里面 里 中 上 下 被 把 将 对 从 到 于 由
  用 做 干 所有 全部 一共 总共 共 关于 工作 需要 多大 最多 最大 谁 调 覆盖 使用 项目 代码 代码库 仓库 工作区 文件 文件夹 目录 内容 定义 实现 位于 函数 运行 调用 地方
  添加 增加`.split(/\s+/),
)

/** Words of one meaning, as they begin in names: a Chinese question is mostly about English code. */
const meanings = `config setting 配置 设置|delet remov 删除|licens licenc 许可|start launch 启动|install setup 安装|depend 依赖|exit 退出
  error fault fail 错误|environment env 环境|command cli 命令|ghost 幽灵|block 块|render 渲染|check 检查|pars 解析|compact 压缩|code 码
  compress 压缩|session 会话|history 历史|tool 工具|permission 权限|model 模型|context 上下文|rule 规则|macro 宏|reference 引用|test 测试
  image 图片 图像|token 令牌|budget 预算|summar 摘要|sandbox 沙箱 沙盒|cache 缓存|login 登录|user 用户|server 服务器|schema 模式|request 请求
  respons 响应|message 消息|database 数据库|write 写入|read 读取|edit 编辑|search 搜索|prompt 提示|system 系统|script 脚本|agent 代理 智能
  loop 循环|round 轮|step 步骤|document docs 文档|path 路径|network 网络|timeout 超时|retry 重试|key 密钥|warning 警告|trust 信任|terminal 终端
  export 导出|resum 恢复|sav stor kept 保存 存储|load 加载|build 构建|index 索引|queue 队列|log 日志|auth 认证|valid 验证|price 价格|pay 支付
  order 订单|version 版本|port 端口|connect 连接|output 输出|format 格式|cancel 取消|expand 展开|rout 路由|assembl 组装|choos 选择|discount 折扣
  window 窗口|comment 注释|releas publish 发布|snapshot 快照|fork 分支|continu 继续|secret 敏感|password 密码|mask hide 隐藏 遮盖|progress 进度
  repl 回复|trunc 截断|watch 监视|option 参数 选项|variable 变量|offline 离线|middleware 中间件|bench 基准`
const groups = meanings.split(/[|\n]/).map((group) => group.trim().split(' '))
/** Chinese words that are known, which a general dictionary may take apart. */
export const knownWords = new RegExp(meanings.match(/\p{Script=Han}{2,}/gu)?.join('|') ?? '', 'g')

/** How a word may be spelled: itself, or the words of its meaning; Chinese ones only for a Chinese word. */
export function formsOf(word: string): readonly string[] {
  const isForm = (form: string) =>
    word === form || (form.length > 3 && word.startsWith(form) && word.length < form.length + 5)
  const forms = groups.filter((group) => group.some(isForm)).flat()
  return forms.length === 0 ? [word] : forms.filter((form) => isChinese(word) || !isChinese(form))
}

export const isChinese = (text: string) => /\p{Script=Han}/u.test(text)

/** rendered, rendering, renders → render. Only so far that the stem is still the beginning of the words it came from. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const ending =
    /(?:ies|ied)$|(?<=[a-z]{5})y$|(?<=[a-z]{4}t)ions?$|(?<=[a-z]{3})(?:ings?|ed)$|(?<=[sxz]|ch|sh)es$|(?<=[a-z]{2}[^s])s$/
  const short = word.replace(ending, '')
  const single = short === word ? word : short.replace(/([bdfgmnprt])\1$/, '$1')
  // Without a vowel it was no ending: string.
  return single.length >= 3 && /[aeiouy]/.test(single) ? single : word
}
