/** What the offline model says, in the language of the question. */
export interface Phrases {
  readonly about: string
  /** Stands under every answer. */
  readonly note: string
  readonly cannotChange: string
  readonly nothing: (terms: string) => string
  readonly whereLead: (place: string) => string
  readonly usesLead: (count: number, place: string) => string
  readonly explainLead: (place: string) => string
  readonly fromFiles: (place: string) => string
  readonly more: string
  readonly confidence: (level: 'high' | 'medium' | 'low', lines: number, files: number) => string
  readonly truncated: string
  readonly list: (count: number, place: string) => string
  readonly countFiles: (count: string, pattern: string, place: string) => string
  readonly countLines: (count: number, path: string) => string
  readonly countMatches: (lines: string, files: number, pattern: string) => string
  readonly outline: (path: string, lines: number) => string
  readonly outlineParts: string
  readonly begins: string
  readonly notThere: (path: string) => string
  readonly empty: string
}

const configure = {
  en: "For a real model: `mutsumi --model provider/name` (or `MUTSUMI_MODEL`) with the provider's key in the environment, such as `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`; or start Ollama, LM Studio or llama.cpp on this machine.",
  zh: '要使用真正的模型：`mutsumi --model provider/name`（或设置 `MUTSUMI_MODEL`），并在环境变量中提供密钥，例如 `OPENAI_API_KEY`、`ANTHROPIC_API_KEY`；也可以在本机启动 Ollama、LM Studio 或 llama.cpp。',
}

const en: Phrases = {
  about: `I am Mutsumi's built-in offline model: no network, no language model. I search this workspace for the words of your question, read the best places, and quote them with file and line.

I can: find where something is ("Where is the config loaded?"), show what a file holds ("What does package.json contain?"), list ("List the files in src"), count ("How many TypeScript files are there?"), and quote the definition of a name ("What is parseConfig?").
I cannot: reason, write or change code, or run anything.

${configure.en}`,
  note: 'I am the built-in offline model: I match words and quote, I do not understand code. `mutsumi --model provider/name` asks a real one.',
  cannotChange: 'I cannot change or run anything: I am the built-in offline model. Nothing was changed.',
  nothing: (terms) =>
    `I found nothing in this workspace for ${terms}. Try the exact name of a function, a file or an error message.`,
  whereLead: (place) => `Most likely in ${place}:`,
  usesLead: (count, place) =>
    `I found ${count} ${count === 1 ? 'line' : 'lines'} with it; the first to look at is ${place}:`,
  explainLead: (place) => `The workspace says most about it in ${place}:`,
  fromFiles: (place) => `In the files that you named, ${place}:`,
  more: 'See also:',
  confidence: (level, lines, files) =>
    `Confidence: ${level}. ${lines} ${lines === 1 ? 'line' : 'lines'} in ${files} ${files === 1 ? 'file' : 'files'} matched.`,
  truncated: 'There were more: the search stopped at its limit.',
  list: (count, place) => `${place} holds ${count} ${count === 1 ? 'entry' : 'entries'}:`,
  countFiles: (count, pattern, place) =>
    `${count} ${count === '1' ? 'file matches' : 'files match'} \`${pattern}\` in ${place} (without what .gitignore names).`,
  countLines: (count, path) => `\`${path}\` has ${count} ${count === 1 ? 'line' : 'lines'}.`,
  countMatches: (lines, files, pattern) =>
    `${lines} ${lines === '1' ? 'line' : 'lines'} in ${files} ${files === 1 ? 'file' : 'files'} ${lines === '1' ? 'matches' : 'match'} \`${pattern}\`.`,
  outline: (path, lines) => `\`${path}\` has ${lines} ${lines === 1 ? 'line' : 'lines'}.`,
  outlineParts: 'What is in it:',
  begins: 'It begins:',
  notThere: (path) => `There is no \`${path}\` in this workspace that I could read.`,
  empty: '(empty)',
}

const zh: Phrases = {
  about: `我是 Mutsumi 内置的离线模型：没有网络，也没有语言模型。我会在工作区里搜索你问题中的词，阅读最相关的位置，并引用原文，注明文件和行号。

我能做的：找位置（“配置在哪里加载？”）、查看文件内容（“package.json 里有什么？”）、列出文件（“列出 src 下的文件”）、计数（“有多少个 TypeScript 文件？”）、引用某个名字的定义（“parseConfig 是什么？”）。
我不能：推理、编写或修改代码、运行任何东西。

${configure.zh}`,
  note: '我是内置的离线模型：只匹配词语并引用原文，并不理解代码。`mutsumi --model provider/name` 可以使用真正的模型。',
  cannotChange: '我是内置的离线模型，不能修改或运行任何东西，什么都没有改动。',
  nothing: (terms) =>
    `在工作区里没有找到与 ${terms} 相关的内容。可以试试函数、文件的准确名字，或者报错原文。`,
  whereLead: (place) => `最可能在 ${place}：`,
  usesLead: (count, place) => `共找到 ${count} 行；先看 ${place}：`,
  explainLead: (place) => `工作区里与此最相关的是 ${place}：`,
  fromFiles: (place) => `在你提到的文件中，${place}：`,
  more: '另见：',
  confidence: (level, lines, files) =>
    `可信度：${{ high: '高', medium: '中', low: '低' }[level]}。匹配到 ${files} 个文件中的 ${lines} 行。`,
  truncated: '还有更多结果：搜索达到了上限。',
  list: (count, place) => `${place} 下有 ${count} 项：`,
  countFiles: (count, pattern, place) =>
    `${place} 中有 ${count} 个文件匹配 \`${pattern}\`（不含 .gitignore 忽略的文件）。`,
  countLines: (count, path) => `\`${path}\` 有 ${count} 行。`,
  countMatches: (lines, files, pattern) => `${files} 个文件中有 ${lines} 行匹配 \`${pattern}\`。`,
  outline: (path, lines) => `\`${path}\` 共 ${lines} 行。`,
  outlineParts: '其中有：',
  begins: '开头是：',
  notThere: (path) => `工作区里没有我能读取的 \`${path}\`。`,
  empty: '（空）',
}

export const phrases = { en, zh }
