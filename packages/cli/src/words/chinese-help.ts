import type { Sentences } from './say.js'

/** The words of `--help` in Chinese. */
export const chineseHelp: Sentences = new Map([
  ['Usage:', '用法：'],
  ['Options:', '选项：'],
  ['Commands:', '命令：'],
  ['Arguments:', '参数：'],
  ['Examples:', '示例：'],
  ['Example:', '示例：'],
  ['display help for command', '显示命令的帮助'],
  ['[options]', '[选项]'],
  ['[command]', '[命令]'],
  [
    'A coding agent whose context you can see, predict, edit and trust.',
    '一个编程智能体：它的上下文看得见、可预测、可编辑、可信任。',
  ],
  ['print the version', '显示版本'],
  [
    'ask once, print the answer and exit. The next word is the prompt, whatever it begins with; with "-" or a pipe, it is read from standard input',
    '提问一次，输出回答后退出。下一个词就是提示，不管它以什么开头；用 "-" 或管道则从标准输入读取',
  ],
  [
    'openai, anthropic, google, ollama, lmstudio, openrouter, deepseek, groq, mistral, azure or openai-compatible, each with /NAME; or offline, scripted:FILE (mutsumi models lists what works here)',
    'openai、anthropic、google、ollama、lmstudio、openrouter、deepseek、groq、mistral、azure 或 openai-compatible，后面加 /名称；或 offline、scripted:文件（mutsumi models 列出这里可用的模型）',
  ],
  ["the address of the model's server", '模型服务器的地址'],
  [
    'permit for this run, e.g. "Edit,Bash(npm test:*)"; repeatable',
    '本次运行允许，如 "Edit,Bash(npm test:*)"；可重复',
  ],
  ['forbid for this run; repeatable', '本次运行禁止；可重复'],
  [
    'when commands run in a sandbox: auto (if possible), require or off',
    '命令何时在沙箱中运行：auto（如果可能）、require 或 off',
  ],
  ['allow network access for the commands of this run', '允许本次运行的命令访问网络'],
  [
    'another folder to read and, by the same rules, to change; repeatable',
    '另一个可以读取、并按同样规则修改的文件夹；可重复',
  ],
  [
    'the workspace (default: the nearest folder upwards with .mutsumi or .git, else this one)',
    '工作区（默认：向上最近的含 .mutsumi 或 .git 的文件夹，否则是当前文件夹）',
  ],
  ['define a macro; repeatable', '定义一个宏；可重复'],
  [
    'a setting for this run, e.g. ghost.format=raw; repeatable',
    '本次运行的一项设置，如 ghost.format=raw；可重复',
  ],
  [
    'trust this workspace for this run: its files may call read-only tools',
    '本次运行信任这个工作区：它的文件可以调用只读工具',
  ],
  ['add the text of this file to the end of the system prompt', '把这个文件的文本加到系统提示的末尾'],
  ['the answer must be JSON that matches this JSON Schema', '回答必须是符合这个 JSON Schema 的 JSON'],
  ['the most requests to the model (default: 50)', '最多向模型请求几次（默认：50）'],
  ['stop the whole run after this time; exit code 124', '超过这个时间就停止整个运行；退出码 124'],
  [
    'print one JSON object: {status, answer, model, session, steps, usage, tools, warnings}',
    '输出一个 JSON 对象：{status, answer, model, session, steps, usage, tools, warnings}',
  ],
  [
    'print one JSON event per line, each after its record is on disk',
    '每行输出一个 JSON 事件，都在记录写到磁盘之后',
  ],
  [
    'write every request and reply into this folder, without keys',
    '把每个请求和应答写入这个文件夹，不含密钥',
  ],
  ['do not print progress', '不显示进度'],
  ['print more progress: requests, tokens, times', '显示更多进度：请求、token、时间'],
  [
    'the session to continue: a file, name or title; NAME.mtm is created if absent (default: a new one in .mutsumi/sessions)',
    '要继续的会话：文件、名称或标题；没有 名称.mtm 时会创建（默认：.mutsumi/sessions 中的新会话）',
  ],
  ['save nothing: the conversation ends with the run', '什么都不保存：对话随运行结束'],
  [
    'what runs without a question: ask, edits, plan or auto (default: ask)',
    '不询问就运行什么：ask、edits、plan 或 auto（默认：ask）',
  ],
  ['open a conversation that begins with this prompt', '打开一个对话，以这个提示开始'],
  [
    'continue the newest session of this workspace; -c alone does the same',
    '继续这个工作区最新的会话；单独的 -c 也一样',
  ],
  [
    'a conversation in plain lines, for screen readers; without -p',
    '纯文本行的对话，供屏幕阅读器使用；不与 -p 同用',
  ],
  ['talk with the agent', '与智能体对话'],
  ['the same, with a first prompt', '同样，并给出第一个提示'],
  ['go on with the newest conversation', '继续最新的对话'],
  ['ask; works without a key, on the built-in offline model', '提问；不需要密钥，由内置的离线模型回答'],
  ['let it edit files in this run', '本次运行允许它编辑文件'],
  ['see the exact request, with tokens per layer and item', '查看确切的请求，以及各层和各条目的 token'],
  ['assemble a document', '组装一个文档'],
  ['continue the session that was active last', '继续最近活动的会话'],
  ['keep an item in every request of a session', '让一个条目留在会话的每个请求中'],
  ['what compacting a long session would do', '压缩一个长会话会有什么结果'],
  ['start a folder of rules for this project', '为这个项目建立规则文件夹'],
  [
    'The prompt: the word after -p is the prompt, whatever it begins with. Only --json, --stream-json, -q and -v may come between; after -- every word is the prompt too. So text from elsewhere is never read as a flag: -p "$TITLE".',
    '提示：-p 后面的词就是提示，不管它以什么开头。中间只能有 --json、--stream-json、-q 和 -v；\n-- 之后的每个词也都是提示。所以来自别处的文字不会被当作选项：-p "$TITLE"。',
  ],
  [
    'Show the exact request that a prompt would send: every layer and item, with its tokens. Takes every flag of mutsumi -p. Sends nothing.',
    '显示一个提示将会发送的确切请求：每一层、每个条目及其 token。接受 mutsumi -p 的所有选项。什么都不发送。',
  ],
  [
    'the prompt of the run to preview; nothing is sent. The next word is the prompt, whatever it begins with; with "-" or a pipe, it is read from standard input',
    '要预览的运行的提示；什么都不发送。下一个词就是提示，不管它以什么开头；用 "-" 或管道则从标准输入读取',
  ],
  [
    'print the request as one JSON object: {workspace, model, messages, sent, items, tokens, history, warnings}',
    '把请求输出为一个 JSON 对象：{workspace, model, messages, sent, items, tokens, history, warnings}',
  ],
  ['the same as --json: a preview has no events', '与 --json 相同：预览没有事件'],
  [
    'build as if this cell ran, counted from 0; its own text is the prompt if none is given',
    '像运行这个单元格一样构建，从 0 数起；没有给出提示时用它自己的文本',
  ],
  ['preview without this item; repeatable', '预览时去掉这个条目；可重复'],
  ['preview with this item pinned; repeatable', '预览时固定这个条目；可重复'],
  ['print the messages themselves too', '同时输出消息本身'],
  [
    "print the request in its provider's own form: method, address, headers without the key, and the exact body",
    '按提供商自己的形式输出请求：方法、地址、不含密钥的头，以及确切的正文',
  ],
  [
    'show what other settings of compaction would have cost for this session',
    '显示这个会话用其他压缩设置会花费多少',
  ],
  [
    'the prompt; with "-", or without a prompt and a session, it is read from standard input',
    '提示；用 "-"，或既没有提示也没有会话时，从标准输入读取',
  ],
  [
    'A session is a .mtm file (mutsumi sessions lists them), or a JSON object:',
    '会话是一个 .mtm 文件（mutsumi sessions 列出它们），或一个 JSON 对象：',
  ],
  ['"cells": [{"content": "what the user wrote",', '"cells": [{"content": "用户写的内容",'],
  [
    'Only "cells" is required. docs/guide/context.md explains every field.',
    '只有 "cells" 是必需的。docs/guide/context.md 说明了每个字段。',
  ],
  [
    'Replace old rounds in the view with a summary. Nothing is deleted; --undo brings them back.',
    '用摘要代替视图中旧的几轮。什么都不删除；--undo 可以恢复。',
  ],
  [
    'the session to compact: its file, or its name or title (with --preview: default, the newest)',
    '要压缩的会话：它的文件、名称或标题（与 --preview 一起时，默认为最新的会话）',
  ],
  [
    'what stays: so many rounds (5), or the newest rounds up to so many tokens (20k)',
    '保留什么：若干轮（5），或最新的几轮直到若干 token（20k）',
  ],
  [
    'show what would be done, without asking a model or changing anything',
    '显示将会做什么，不询问模型，也不改变任何内容',
  ],
  ['undo the newest compaction, or the one with this id', '撤销最新的压缩，或这个 id 的压缩'],
  [
    'It compacts even if there is room, if there are more rounds than keep says (10). The configured model writes the summary, as in a round; without one, it is made from the records. Ctrl-C stops it and changes nothing. docs/guide/compaction.md explains what is kept and what leaves.',
    '只要轮数超过 keep（10），即使还有空间也会压缩。摘要由配置的模型写，与一轮中相同；没有模型时由记录生成。\nCtrl-C 可以停止，不会改变任何内容。docs/guide/compaction.md 说明了什么保留、什么离开。',
  ],
  [
    'List the sessions of a workspace; search, rename, delete and restore them.',
    '列出工作区的会话；搜索、重命名、删除和恢复它们。',
  ],
  ['docs/guide/sessions.md has the details.', '详见 docs/guide/sessions.md。'],
  [
    'List the sessions, the most recently active first. `mutsumi sessions` alone does the same.',
    '列出会话，最近活动的在前。单独的 `mutsumi sessions` 效果相同。',
  ],
  [
    'Find text in sessions: questions, answers, arguments of calls, and results as history keeps them. Exits with 1 if nothing was found.',
    '在会话中查找文字：问题、回答、调用的参数，以及历史中保留的结果。没有找到时退出码为 1。',
  ],
  [
    'show all matching lines of a session, not only the first five',
    '显示一个会话的所有匹配行，而不只是前五行',
  ],
  ['the exact words, in any letter case; not a pattern', '确切的文字，不区分大小写；不是模式'],
  [
    'Give a session a title and its file a matching name. Nothing is overwritten.',
    '给会话一个标题，并给它的文件相应的名称。不会覆盖任何文件。',
  ],
  [
    'a session: its file, or the beginning of its name, title or id in .mutsumi/sessions',
    '一个会话：它的文件，或 .mutsumi/sessions 中它的名称、标题、id 的开头',
  ],
  [
    'a new title, which also gives the file its name; if it ends in .mtm, only a file name',
    '新的标题，文件也随之命名；如果以 .mtm 结尾，则只是文件名',
  ],
  ['Move a session to the trash.', '把会话移到回收站。'],
  ['Restore a session from the trash.', '从回收站恢复会话。'],
  [
    'a session in the trash: its file, or the beginning of its name, title or id',
    '回收站中的会话：它的文件，或名称、标题、id 的开头',
  ],
  [
    'Accept the lines of a session that Mutsumi did not write, such as those that you edited by hand. Until then they are not used.',
    '接受会话中不是由 Mutsumi 写入的行，例如你手工编辑的行。在此之前它们不会被使用。',
  ],
  ['show them, and change nothing', '显示它们，不改变任何内容'],
  ['List deleted sessions that can be restored.', '列出可以恢复的已删除会话。'],
  [
    'Continue a session: in a conversation, or with -p for one prompt. In a pipe, or with --json, show its state.',
    '继续一个会话：在对话中，或加 -p 只问一次。在管道中，或加 --json，则显示它的状态。',
  ],
  [
    'a session: its file, or the beginning of its name, title or id in .mutsumi/sessions (default: the one that was active last)',
    '一个会话：它的文件，或 .mutsumi/sessions 中它的名称、标题、id 的开头（默认：最近活动的会话）',
  ],
  [
    'Copy a session up to a round, to continue from there. The session itself is not changed.',
    '把会话复制到某一轮为止，从那里继续。会话本身不变。',
  ],
  ['the last round of the copy, from 1 (default: all)', '副本的最后一轮，从 1 数起（默认：全部）'],
  ['the file of the copy (default: beside the session)', '副本的文件（默认：在会话旁边）'],
  [
    'Write a session as Markdown to read, or as one JSON object.',
    '把会话写成供阅读的 Markdown，或一个 JSON 对象。',
  ],
  ['md or json (default: by the name of the output, else md)', 'md 或 json（默认：按输出的名称，否则 md）'],
  [
    'the output file (default: standard output); nothing is overwritten',
    '输出文件（默认：标准输出）；不会覆盖任何文件',
  ],
  [
    'Show a request exactly as it was sent, proved by its fingerprint. Without --round: list the requests.',
    '原样显示一个已发送的请求，并用指纹证实。没有 --round 时列出各个请求。',
  ],
  ['the round, from 1', '第几轮，从 1 数起'],
  [
    'the request of that round, from 1 (default: its last); summary or summary-2: for a summary',
    '那一轮的第几个请求，从 1 数起（默认：最后一个）；summary 或 summary-2：摘要的请求',
  ],
  [
    'Show the usage of a session: tokens sent, cached, written and answered, the price, and what shortening saved.',
    '显示会话的用量：发送、缓存、写入和回答的 token，价格，以及缩短节省了多少。',
  ],
  ['all sessions of the workspace', '工作区的所有会话'],
  [
    'Keep an item in every request of a session; a file need not be part of it yet. Prints how the size of the next request changes.',
    '让一个条目留在会话的每个请求中；文件可以还不是其中的一部分。会显示下一个请求的大小如何变化。',
  ],
  [
    'the item, named as in mutsumi context: src/main.ts, src/main.ts:1:40, a rule, a call',
    '条目，名称与 mutsumi context 中相同：src/main.ts、src/main.ts:1:40、一条规则、一次调用',
  ],
  [
    'Unpin an item. Prints how the size of the next request changes.',
    '取消固定一个条目。会显示下一个请求的大小如何变化。',
  ],
  [
    'Leave an item out of the requests of a session. Prints how the size of the next request changes.',
    '让会话的请求不再包含一个条目。会显示下一个请求的大小如何变化。',
  ],
  [
    'Restore a dropped item. Prints how the size of the next request changes.',
    '恢复一个被丢弃的条目。会显示下一个请求的大小如何变化。',
  ],
  [
    'Decide about the items of a session: pin, unpin, drop or restore one, or undo that.',
    '决定会话的条目：固定、取消固定、丢弃或恢复一个，或撤销这样的决定。',
  ],
  [
    'Undo the newest active pin, unpin, drop or restore of a session.',
    '撤销会话最新的固定、取消固定、丢弃或恢复。',
  ],
  [
    'another folder of the session whose files may be restored; repeatable',
    '会话的另一个文件夹，其中的文件也可以还原；可重复',
  ],
  ['show what would be done, and change nothing', '显示将会做什么，不改变任何内容'],
  ['do it without asking', '不询问直接执行'],
  [
    'Undo the newest round of a session, as /undo does: its messages leave the view, and its changes to files are reverted. Asks first.',
    '撤销会话最新的一轮，与 /undo 相同：它的消息离开视图，它对文件的改动被还原。会先询问。',
  ],
  ['mutsumi context shows the items.', 'mutsumi context 显示各个条目。'],
  ['so many rounds (default: 1)', '若干轮（默认：1）'],
  ['show what undoing the newest round would do', '显示撤销最新的一轮会做什么'],
  ['undo three rounds of the session fix', '撤销会话 fix 的三轮'],
  ['undo without asking', '不询问直接撤销'],
  [
    'A file that somebody else edited since is not changed, and the difference is shown. mutsumi redo reverts the undo; mutsumi items undo reverts a pin or drop.',
    '之后被别人修改过的文件不会改动，并显示差异。mutsumi redo 取消撤销；\nmutsumi items undo 取消固定或丢弃。',
  ],
  [
    'Revert the newest undo of rounds: they are part of the view again, with their changes to files.',
    '取消最近一次对几轮的撤销：它们重新成为视图的一部分，文件的改动也恢复。',
  ],
  [
    "Show the agent's changes to files, since the session began or since a round.",
    '显示智能体对文件的改动：从会话开始，或从某一轮起。',
  ],
  ['since this round, from 1 (default: the first)', '从这一轮起，从 1 数起（默认：第一轮）'],
  [
    'Assemble a document: evaluate its conditions and insert its macros and @[includes].',
    '组装一个文档：计算它的条件，代入它的宏和 @[包含]。',
  ],
  ['the document to assemble; "-" reads standard input', '要组装的文档；"-" 读取标准输入'],
  [
    'The rules in .mutsumi/rules, which are part of every request.',
    '.mutsumi/rules 中的规则，它们是每个请求的一部分。',
  ],
  [
    'Create .mutsumi/rules with the default rules. Never overwrites a file.',
    '用默认规则创建 .mutsumi/rules。从不覆盖文件。',
  ],
  [
    'Find unknown macros, missing includes, cycles and unused rules. `mutsumi rules` alone does the same. Exits with 1 if there are any.',
    '查找未知的宏、缺少的包含、循环和未使用的规则。单独的 `mutsumi rules` 也一样。有任何一个时退出码为 1。',
  ],
  [
    'Trust a workspace as it is now: its rules may call read-only tools, and its config, servers and skills are used.',
    '按现在的样子信任一个工作区：它的规则可以调用只读工具，它的配置、服务器和技能会被使用。',
  ],
  ['withdraw the trust', '撤回信任'],
  ['list the folders that you trusted or distrusted', '列出你信任过或不信任的文件夹'],
  ['print one JSON object', '输出一个 JSON 对象'],
  ['shows what takes effect: settings, servers, skills', '显示什么会生效：设置、服务器、技能'],
  [
    'If a setting, server or skill changes, the project counts as untrusted until you trust it again.',
    '如果设置、服务器或技能有变化，在你重新信任之前，项目视为未信任。',
  ],
  [
    'Allow permanently in this workspace: calls that match these rules run without asking.',
    '在这个工作区永久允许：符合这些规则的调用不询问直接运行。',
  ],
  ['for every workspace, not only this one', '对所有工作区，而不只是这一个'],
  [
    'e.g. Edit, "Edit(src/**)", "Bash(npm test:*)", mcp__server__tool',
    '如 Edit、"Edit(src/**)"、"Bash(npm test:*)"、mcp__server__tool',
  ],
  ['docs/guide/permissions.md explains the rules.', 'docs/guide/permissions.md 说明了规则的写法。'],
  [
    'Deny permanently in this workspace. A denial overrides every permission.',
    '在这个工作区永久禁止。禁止优先于任何允许。',
  ],
  [
    'List the rules for this workspace, and where each comes from.',
    '列出这个工作区的规则，以及每条来自哪里。',
  ],
  ['remove a rule, written as in the list', '删除一条规则，写法与列表中相同'],
  [
    'The flags --allow and --deny of a run add to these rules.',
    '运行时的 --allow 和 --deny 会加到这些规则上。',
  ],
  [
    'List the models that can be used: which providers have a key here, what runs on this machine, how to name one.',
    '列出可以使用的模型：哪些提供商在这里有密钥，本机运行着什么，怎样指定一个。',
  ],
  [
    'Check what a run would use: settings, model and its server, keys by name, sessions, sandbox, search, trust, MCP servers, terminal. Exits with 1 if there is a problem.',
    '检查运行会用到的内容：设置、模型及其服务器、密钥（只看名称）、会话、沙箱、搜索、信任、MCP 服务器、终端。有问题时退出码为 1。',
  ],
  ["do not contact the model's server", '不连接模型的服务器'],
  [
    'Show and change settings: your own, or with --project those of the project.',
    '显示和更改设置：你自己的，或加 --project 更改项目的。',
  ],
  [
    "A flag overrides a variable (MUTSUMI_COMPACT_AT), then comes your file, then the project's after you trust it. Keys are never shown. docs/guide/config.md lists the settings.",
    '选项优先于变量（MUTSUMI_COMPACT_AT），然后是你的文件，再是你信任之后的项目文件。\n密钥从不显示。docs/guide/config.md 列出了各项设置。',
  ],
  [
    'List every setting with its value for a run here, and where the value comes from. `mutsumi config` alone does the same.',
    '列出每项设置在这里运行时的值，以及值来自哪里。单独的 `mutsumi config` 效果相同。',
  ],
  [
    'Print the value that a run here would use. Exits with 1 if it has none.',
    '输出在这里运行时会用的值。没有值时退出码为 1。',
  ],
  [
    "the project's file, .mutsumi/config.json, instead of your own",
    '项目的文件 .mutsumi/config.json，而不是你自己的',
  ],
  ['a setting, such as model or ghost.format', '一项设置，如 model 或 ghost.format'],
  [
    'Set it for every run. A name or value that a run would refuse is refused here.',
    '为每次运行设置它。运行会拒绝的名称或值，在这里也会被拒绝。',
  ],
  ['its value; separate several file names with commas', '它的值；多个文件名用逗号分开'],
  ['Remove a setting from the file.', '从文件中删除一项设置。'],
  [
    'Print the file that settings are written to. It need not exist yet.',
    '输出设置写入的文件。它可以还不存在。',
  ],
  ['MCP servers: list, add and remove them.', 'MCP 服务器：列出、添加和删除。'],
  ['docs/guide/tools.md has the details.', '详见 docs/guide/tools.md。'],
  [
    'Start the servers that may be started, print the state and the tools of each, and end them. `mutsumi mcp` alone does the same. Exits with 1 if one fails.',
    '启动可以启动的服务器，输出每个的状态和工具，然后结束它们。单独的 `mutsumi mcp` 效果相同。有一个失败时退出码为 1。',
  ],
  [
    'Add a server to your config. Starts nothing and asks nothing.',
    '把一个服务器添加到你的配置。不启动，也不询问。',
  ],
  ['the address of an HTTP server, instead of a command', 'HTTP 服务器的地址，代替命令'],
  ['a variable for the command; repeatable', '给命令的变量；可重复'],
  ['a header for the address, "Name: value"; repeatable', '给地址的头，“名称: 值”；可重复'],
  ['the folder that the command starts in', '命令启动时所在的文件夹'],
  ['add it disabled', '添加但停用'],
  ['replace a server that has this name', '替换同名的服务器'],
  ['a name for it: its tools are called mcp__NAME__tool', '它的名称：它的工具叫作 mcp__名称__工具'],
  ['after --: the program to start, with its arguments', '-- 之后：要启动的程序及其参数'],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the server's own start reads it
    'The command comes after --, so that its flags are its own. In single quotes ${NAME} is read from your environment when the server starts, so no key is in the file.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the server's own start reads it
    '命令在 -- 之后，所以它的选项属于它自己。单引号中的 ${NAME} 在服务器启动时从你的环境读取，\n所以文件中没有密钥。',
  ],
  ['Remove a server from your config.', '从你的配置中删除一个服务器。'],
  ['the server', '服务器'],
  [
    'Print a script that lets a shell complete commands, flags, settings and sessions.',
    '输出一段脚本，让 shell 能补全命令、选项、设置和会话。',
  ],
  ['the shell', '哪个 shell'],
  ['in ~/.bashrc', '写入 ~/.bashrc'],
  ['then restart zsh', '然后重启 zsh'],
  ['print', '输出'],
  ["error: unknown option '{0}'", '错误：未知选项“{0}”'],
  ["error: missing required argument '{0}'", '错误：缺少参数“{0}”'],
  ["error: required option '{0}' not specified", '错误：缺少选项“{0}”'],
  ["error: option '{0}' argument missing", '错误：选项“{0}”缺少它的值'],
  [
    "error: option '{0}' argument '{1}' is invalid. Allowed choices are {2}.",
    '错误：选项“{0}”的值“{1}”无效。可以是 {2}。',
  ],
  [
    "error: command-argument value '{0}' is invalid for argument '{1}'. Allowed choices are {2}.",
    '错误：参数“{1}”的值“{0}”无效。可以是 {2}。',
  ],
  [
    "error: too many arguments for '{0}'. Expected {1} argument but got {2}.",
    '错误：“{0}”的参数太多：只需要 {1} 个，却有 {2} 个。',
  ],
  [
    "error: too many arguments for '{0}'. Expected {1} arguments but got {2}.",
    '错误：“{0}”的参数太多：只需要 {1} 个，却有 {2} 个。',
  ],
  ['choices', '可选'],
  ['default', '默认'],
  ['none', '无'],
])
