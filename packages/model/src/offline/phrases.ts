/** The words of the offline model, in the language of the question. Places come as they are to be shown. */
const en = {
  about: `I am Mutsumi's built-in offline model: no network, no language model. I look your question up in this workspace, its documents first, and quote what I find with file and line. I cannot reason, write or change code, or run anything.

Ask me, for instance: "What is this project?", "How do I run the tests?", "Where is the config loaded?", "Which tests cover login?", "Who calls parseConfig?", "What does package.json contain?" For a real model: \`/model\` in a terminal, Select Model in VS Code. Both list what answers: providers whose key you have set, and Ollama, LM Studio or llama.cpp if they run on this machine.`,
  note: 'I am the built-in offline model: I match words and quote, and change nothing. `/model` in a terminal, or Select Model in VS Code, chooses a real one.',
  nothing: 'I found nothing in this workspace. Try an exact name or error message.',
  missing: (name: string, place: string) => `I could not find ${name} in ${place}. These are there:`,
  noField: (place: string) => `I found no such field in ${place}. It has these:`,
  noDependencies: (place: string) => `None: ${place} has no runtime dependencies. It has these fields:`,
  noChangelog:
    'I found no changelog in this workspace. `git log` or the releases of its host may say what changed.',
  likely: (place: string) => `Most likely in ${place}:`,
  unsure: (place: string, lacks: readonly string[] = []) =>
    `I am not sure. The nearest that I found is ${place}${lacks.map((word) => `, without “${word}”`).join('')}:`,
  more: (total: number) => `See also (${total} found):`,
}

const zh: typeof en = {
  about: `我是 Mutsumi 内置的离线模型：没有网络，也没有语言模型。我会在工作区里查找你的问题，先看文档，并引用找到的原文，注明文件和行号。我不能推理、编写或修改代码，也不能运行任何东西。

例如可以问：“这个项目是做什么的？”“怎么运行测试？”“配置在哪里加载？”“哪些测试覆盖登录？”“谁调用 parseConfig？”“package.json 里有什么？”要使用真正的模型：在终端中用 \`/model\`，在 VS Code 中用“选择模型”。两者都会列出能回答的模型：已设置密钥的提供方，以及在本机运行的 Ollama、LM Studio 或 llama.cpp。`,
  note: '我是内置的离线模型：只匹配词语并引用原文，不做任何修改。在终端中用 `/model`，在 VS Code 中用“选择模型”，就能使用真正的模型。',
  nothing: '在工作区里没有找到相关的内容。可以试试准确的名字，或者报错原文。',
  missing: (name, place) => `在 ${place} 里没有找到 ${name}。里面有：`,
  noField: (place) => `在 ${place} 里没有找到这一项。里面有：`,
  noDependencies: (place) => `没有：${place} 里没有运行时依赖。里面有：`,
  noChangelog: '这个工作区里没有更新日志。`git log` 或代码托管网站的发布页可能有说明。',
  likely: (place) => `最可能在 ${place}：`,
  unsure: (place, lacks = []) =>
    `我不确定，最接近的是 ${place}${lacks.map((word) => `，其中没有“${word}”`).join('')}：`,
  more: (total) => `另见（共找到 ${total} 处）：`,
}

export type Phrases = typeof en
export const phrases = { en, zh }
