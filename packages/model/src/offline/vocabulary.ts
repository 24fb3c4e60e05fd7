/** Words that say what kind of question it is, and nothing about its subject. */
const english = `a an the this that these those it its i me my you your we our us they them their he she
  is are was were be been being am do does did done have has had can could shall should will would may might must
  what where which who whom whose when why how
  in on at of to from for with without by as into onto over under about between and or but not no if then than so
  please tell show give find get see look let know want need like explain describe list count search me
  there here all any some each every only just also more most many much few
  file files folder folders directory code codebase source project repo repository workspace line lines place
  function functions method methods class classes module modules part thing things something work works working
  defined define definition implemented implement implementation located location declared used called named
  happen happens mean means contain contains content contents exist exists say says current currently
  call calls callers handle handles handled fix bug bugs issue issues
  come comes cover covers keep kept out off up down set sets`

export const englishStopWords: ReadonlySet<string> = new Set(english.split(/\s+/))

/** Longest first, so that 在哪里 goes before 在. */
export const chineseStopWords: readonly string[] = (
  '在哪个文件里 在哪个文件 在什么地方 哪些地方 哪个文件 哪些文件 什么地方 在哪里 在哪儿 在哪 哪里 哪儿 哪个 哪些 ' +
  '是什么 为什么 什么 怎么样 怎样 怎么 如何 多少个 多少 几个 请问 请 帮我 帮忙 一下 告诉我 告诉 解释 说明 介绍 描述 ' +
  '列出 列举 显示 查找 查看 看看 找到 找 看 有没有 是否 可以 能够 能 会 吗 呢 吧 啊 的 了 着 过 是 在 有 和 与 或 及 ' +
  '这个 那个 这些 那些 这 那 它 我 你 我们 你们 项目 代码库 代码 仓库 工作区 文件夹 目录 文件 内容 定义 实现 位于 ' +
  '里面 里 中 上 下 被 把 将 对 从 到 于 由 用 做 所有 全部 一共 总共 共'
).split(' ')

/** What a Chinese question about English code means. Stems, as they stand in names. */
export const translations: ReadonlyMap<string, string> = new Map(
  `幽灵:ghost 块:block 渲染:render 检查:check 解析:pars 压缩:compress 会话:session 历史:history 工具:tool 权限:permission
    模型:model 上下文:context 规则:rule 宏:macro 引用:reference 测试:test 配置:config 设置:setting 错误:error 图片:image
    图像:image 令牌:token 预算:budget 摘要:summar 沙箱:sandbox 缓存:cache 登录:login 用户:user 函数:function 命令:command
    服务器:server 请求:request 响应:respons 消息:message 数据库:database 写入:write 读取:read 编辑:edit 删除:delet 搜索:search
    提示:prompt 系统:system 代理:agent 智能体:agent 循环:loop 轮:round 步骤:step 文档:document 路径:path 网络:network
    超时:timeout 重试:retry 密钥:key 警告:warning 信任:trust 终端:terminal 导出:export 恢复:resume 存储:store 保存:save
    加载:load 启动:start 构建:build 索引:index 队列:queue 日志:log 认证:auth 验证:valid 价格:price 支付:pay 订单:order
    版本:version 端口:port 连接:connect 输出:output 格式:format 取消:cancel 展开:expand 组装:assembl 选择:choos 折扣:discount
    窗口:window 注释:comment 依赖:depend 许可:licens 安装:install 发布:releas 快照:snapshot 分支:fork 继续:continu 敏感:secret 密码:password 隐藏:mask 遮盖:mask
    进度:progress 回复:reply 截断:trunc 监视:watch 参数:option 环境变量:environment 计算:comput 行号:line`
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]),
)
