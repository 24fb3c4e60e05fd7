/** Words that any question about code may hold, without their endings. */
const stopWords: ReadonlySet<string> = new Set(
  `a an the this that these those it its i me my you your we our they their is are was be do does did have has can could
  should will would may what where which who when why how in at of to from for with by as into about and or but not no if
  so please tell show give find get see look want need explain describe summarize list count there here all any some each
  every more most many much often mean contain content say use using used cover time work make made go mention file folder directory
  project repo repository line function method class module part implement defin definition locat call caller handl run add
  new match 在 哪 哪里 哪个 哪些 是 什么 的 了 吗 有 和 这个 我 你 请 怎么 怎样 如何 多少 个 里 被 从 到 谁 调用 覆盖 使用 项目 代码 文件 目录 内容
  定义 函数 运行 做 工作 需要 可以 一个`.split(/\s+/),
)

/** Words of one meaning, as they begin in names: a Chinese question is mostly about English code. */
const meanings = `creat new make init 创建|config setting 配置 设置|delet remov 删除|licens licenc 许可|start launch 启动|install setup 安装|depend 依赖|exit 退出
  error fault fail 错误|environment env 环境|command cli 命令|ghost 幽灵|block 块|render 渲染|check 检查|pars 解析|compact compress 压缩
  session 会话|history 历史|tool 工具|permission 权限|model 模型|context 上下文|rule 规则|test 测试|sandbox 沙箱 沙盒|cache 缓存|login 登录
  user 用户|server 服务器|request 请求|message 消息|code 码|database 数据库|write 写入|read 读取|edit 编辑|search 搜索|prompt 提示|script 脚本
  document docs 文档|path 路径|network 网络|timeout 超时|retry 重试|key 密钥|terminal 终端|export 导出|sav stor kept 保存 存储|load 加载
  build 构建|log 日志|valid 验证|order 订单|version 版本|connect 连接|rout 路由|releas publish 发布|secret 敏感|hide mask 隐藏|option 参数 选项|undo 撤销`
const groups = meanings.split(/[|\n]/).map((group) => group.trim().split(' '))

export const isChinese = (text: string) => /\p{Script=Han}/u.test(text)

/** Chinese has no spaces: the longest word that is known comes first. */
const chinese = [...stopWords, ...groups.flat()].filter(isChinese).sort((a, b) => b.length - a.length)
const chineseWord = new RegExp(chinese.join('|'), 'g')

/** The words of a text. Chinese letters between known words are one word. */
export function wordsIn(text: string): string[] {
  const spaced = text.toLowerCase().replace(chineseWord, ' $& ')
  const all = spaced.match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? []
  const words = all.filter((word) => word.length > 1 || chinese.includes(word))
  return words.filter((word) => !stopWords.has(word) && !stopWords.has(stem(word)))
}

/** How a word may be spelled: as the words of its meaning, Chinese ones only for a Chinese word, or by its stem. */
export function formsOf(word: string): readonly string[] {
  const short = stem(word)
  const isForm = (form: string) =>
    short === form || (form.length > 3 && short.startsWith(form) && short.length < form.length + 5)
  const forms = groups.filter((group) => group.some(isForm)).flat()
  return forms.length === 0 ? [short] : forms.filter((form) => isChinese(word) || !isChinese(form))
}

/** rendered, rendering, renders → render: still the beginning of the words that it came from. */
export function stem(word: string): string {
  const ending =
    /(?:ies|ied)$|(?<=[a-z]{5})[ey]$|(?<=[a-z]{4}t)ions?$|(?<=[a-z]{3})(?:ing|ed)$|(?<=[sxz]|ch|sh)es$|(?<=[a-z]{2}[^s])s$/
  const short = word.replace(ending, '')
  // Without a vowel it was no ending: string.
  return /[aeiouy]/.test(short) ? short.replace(/(?<=[a-z]{2})([bdfgmnprt])\1$/, '$1') : word
}
