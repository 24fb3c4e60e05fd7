/** What the offline model says, in the language of the question. Places and paths come as they are to be shown. */
const en = {
  about: `I am Mutsumi's built-in offline model: no network, no language model. I look your question up in this workspace, its documents first, and quote what I find with file and line.

Ask me, for instance: "What is this project?", "How do I run the tests?", "Where is the config loaded?", "Which tests cover login?", "Who calls parseConfig?", "What does package.json contain?", "How many TypeScript files are there?"
I cannot reason, write or change code, or run anything.

For a real model: \`mutsumi --model provider/name\` (or \`MUTSUMI_MODEL\`) with the provider's key in the environment, such as \`OPENAI_API_KEY\` or \`ANTHROPIC_API_KEY\`; or start Ollama, LM Studio or llama.cpp on this machine.`,
  note: 'I am the built-in offline model: I match words and quote. `mutsumi --model provider/name` asks a real one.',
  cannotChange: 'I cannot change or run anything: I am the built-in offline model. Nothing was changed.',
  nothing: (terms: string) =>
    `I found nothing in this workspace for ${terms}. Try the exact name of a function, a file or an error message.`,
  notThere: (path: string) => `There is no ${path} in this workspace that I could read.`,
  defined: (place: string) => `Defined in ${place}:`,
  likely: (place: string) => `Most likely in ${place}:`,
  unsure: (place: string) => `I am not sure. The nearest that I found is ${place}:`,
  from: (place: string, heading: string) => `From ${place}${heading === '' ? '' : `, “${heading}”`}:`,
  more: 'See also:',
  parts: 'In it:',
  length: (path: string, lines: number) => `${path} has ${lines} ${lines === 1 ? 'line' : 'lines'}.`,
  list: (what: string, total: number) => `${what}: ${total} ${total === 1 ? 'entry' : 'entries'}`,
  found: (lines: string, files: number) =>
    `Found on ${lines} ${lines === '1' ? 'line' : 'lines'} of ${files} ${files === 1 ? 'file' : 'files'}:`,
  tests: (files: number) => `${files} test ${files === 1 ? 'file speaks' : 'files speak'} of it:`,
}

const zh: typeof en = {
  about: `我是 Mutsumi 内置的离线模型：没有网络，也没有语言模型。我会在工作区里查找你的问题，先看文档，并引用找到的原文，注明文件和行号。

例如可以问：“这个项目是做什么的？”“怎么运行测试？”“配置在哪里加载？”“哪些测试覆盖登录？”“谁调用 parseConfig？”“package.json 里有什么？”“有多少个 TypeScript 文件？”
我不能推理、编写或修改代码，也不能运行任何东西。

要使用真正的模型：\`mutsumi --model provider/name\`（或设置 \`MUTSUMI_MODEL\`），并在环境变量中提供密钥，例如 \`OPENAI_API_KEY\`、\`ANTHROPIC_API_KEY\`；也可以在本机启动 Ollama、LM Studio 或 llama.cpp。`,
  note: '我是内置的离线模型：只匹配词语并引用原文。`mutsumi --model provider/name` 可以使用真正的模型。',
  cannotChange: '我是内置的离线模型，不能修改或运行任何东西，什么都没有改动。',
  nothing: (terms) =>
    `在工作区里没有找到与 ${terms} 相关的内容。可以试试函数、文件的准确名字，或者报错原文。`,
  notThere: (path) => `工作区里没有我能读取的 ${path}。`,
  defined: (place) => `定义在 ${place}：`,
  likely: (place) => `最可能在 ${place}：`,
  unsure: (place) => `我不确定，最接近的是 ${place}：`,
  from: (place, heading) => `${place}${heading === '' ? '' : ` 中“${heading}”`}：`,
  more: '另见：',
  parts: '其中有：',
  length: (path, lines) => `${path} 共 ${lines} 行。`,
  list: (what, total) => `${what}：共 ${total} 项`,
  found: (lines, files) => `在 ${files} 个文件的 ${lines} 行中找到：`,
  tests: (files) => `有 ${files} 个测试文件提到它：`,
}

export type Phrases = typeof en
export const phrases = { en, zh }
