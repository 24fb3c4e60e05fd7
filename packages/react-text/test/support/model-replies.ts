import type { ReplyCase } from './replies.js'

const readA = { call: 'Read', args: { path: 'a.ts' } }
const writeX = 'Action: Write[{"path":"x","content":"y"}]'

/** Replies in the forms that models were trained to write, and replies that speak of actions without taking one. */
export const modelReplies: readonly ReplyCase[] = [
  // Qwen and Hermes.
  {
    title: 'Qwen: a tool_call tag',
    reply: '<tool_call>\n{"name": "Read", "arguments": {"path": "a.ts"}}\n</tool_call>',
    is: { ...readA, thought: '' },
  },
  {
    title: 'Qwen: thinking, a thought and a tool_call tag',
    reply:
      '<think>\nlet me look\n</think>\n\nThought: I will read it.\n\n<tool_call>\n{"name": "Read", "arguments": {"path": "a.ts"}}\n</tool_call>',
    is: { ...readA, thought: 'I will read it.' },
  },
  {
    title: 'Qwen: words without a thought and a tool_call tag: it may be an example',
    reply:
      'Qwen was trained so.\n\n<tool_call>\n{"name": "Bash", "arguments": {"command": "rm x"}}\n</tool_call>',
    is: { malformed: 'may be an example' },
  },
  {
    title: 'Qwen: a thought that leads up to a tool_call tag: it may be an example',
    reply:
      'Thought: It is written like this:\n<tool_call>\n{"name": "Bash", "arguments": {"command": "rm x"}}\n</tool_call>',
    is: { malformed: 'may be an example' },
  },
  {
    title: 'Qwen: two tool_call tags: none',
    reply:
      'Thought: both\n<tool_call>\n{"name": "Read", "arguments": {"path": "a.ts"}}\n</tool_call>\n<tool_call>\n{"name": "Read", "arguments": {"path": "b.ts"}}\n</tool_call>',
    is: { malformed: 'the reply contains another step after the action', thought: 'both' },
  },
  {
    title: 'Qwen: a tool_call tag and the response that it makes up',
    reply:
      '<tool_call>{"name": "Read", "arguments": {"path": "a.ts"}}</tool_call>\n<tool_response>\nempty\n</tool_response>\nIt is empty.',
    is: readA,
  },
  {
    title: 'Qwen: a tool_call tag that is not closed',
    reply: '<tool_call>\n{"name": "Read", "arguments": {"path": "a.ts"}}',
    is: readA,
  },
  {
    title: 'Qwen: arguments as a string of JSON',
    reply: '<tool_call>{"name": "Read", "arguments": "{\\"path\\": \\"a.ts\\"}"}</tool_call><|im_end|>',
    is: readA,
  },
  {
    title: 'Qwen: a tool_call tag whose JSON was cut',
    reply: '<tool_call>\n{"name": "Write", "arguments": {"path": "a.ts", "content": "x',
    is: { malformed: 'ended before its JSON did' },
  },
  {
    title: 'Qwen: a tool_call tag and more words: it may be an example',
    reply: 'It is written\n<tool_call>{"name": "Read", "arguments": {"path": "a.ts"}}</tool_call>\nin Qwen.',
    is: { malformed: 'may be an example' },
  },
  {
    title: 'Qwen: a tool_call tag in the middle of a line',
    reply: 'Reading it now. <tool_call>{"name": "Read", "arguments": {"path": "a.ts"}}</tool_call>',
    is: { malformed: 'at the beginning of a line' },
  },
  {
    title: 'Qwen: a tag after Action:',
    reply: 'Thought: go\nAction: <tool_call>{"name": "Read", "arguments": {"path": "a.ts"}}</tool_call>',
    is: { ...readA, thought: 'go' },
  },
  {
    title: 'Qwen Coder: parameters in tags',
    reply: '<tool_call>\n<function=Read>\n<parameter=path>\na.ts\n</parameter>\n</function>\n</tool_call>',
    is: { malformed: 'tool calls must be written as text here' },
  },
  {
    title: 'Qwen: the tag in a fenced example',
    reply: 'Qwen writes:\n```xml\n<tool_call>{"name": "Read", "arguments": {}}</tool_call>\n```',
    is: { answer: 'Qwen writes:\n```xml\n<tool_call>{"name": "Read", "arguments": {}}</tool_call>\n```' },
  },
  // Llama.
  {
    title: 'Llama: a function tag with JSON',
    reply: '<function=Read>{"path": "a.ts"}</function>',
    is: readA,
  },
  {
    title: 'Llama: the python tag with JSON',
    reply: '<|python_tag|>{"name": "Read", "parameters": {"path": "a.ts"}}<|eom_id|>',
    is: readA,
  },
  {
    title: 'Llama: the python tag with Python',
    reply: '<|python_tag|>Read.call(path="a.ts")',
    is: { malformed: 'tool calls must be written as text here' },
  },
  {
    title: 'Llama: nothing but an object',
    reply: '{"type": "function", "name": "Read", "parameters": {"path": "a.ts"}}',
    is: readA,
  },
  {
    title: 'Llama: an end token after the action',
    reply: 'Thought: go\nAction: Read[{"path":"a.ts"}]<|eot_id|>',
    is: { ...readA, thought: 'go' },
  },
  {
    title: 'Llama: a list of calls in Python',
    reply: '[Read(path="a.ts")]',
    is: { malformed: 'not as Python' },
  },
  {
    title: 'Llama: two calls in Python after a thought and more',
    reply:
      'Thought: I look.\n\nBoth then.\n[Read(path="a.ts"), Write(path="b.ts", content="x\ny")]<|eot_id|>',
    is: { malformed: 'not as Python' },
  },
  {
    title: 'Llama: a list of calls in Python in a fence',
    reply: '```python\n[Read(path="a.ts")]\n```',
    is: { malformed: 'not as Python' },
  },
  {
    title: 'a call in Python right after a thought',
    reply: 'Thought: I look.\nRead(path="a.ts")',
    is: { malformed: 'not as Python' },
  },
  {
    title: 'an answer that is a call in Python',
    reply: 'connect(port=8080)',
    is: { answer: 'connect(port=8080)' },
  },
  {
    title: 'an answer that ends with a list of calls in Python',
    reply: 'Llama writes\n[Read(path="a.ts")]',
    is: { answer: 'Llama writes\n[Read(path="a.ts")]' },
  },
  {
    title: 'Llama: a list of one object',
    reply: '[{"name": "Read", "parameters": {"path": "a.ts"}}]',
    is: readA,
  },
  {
    title: 'a fenced list of one object',
    reply: 'Thought: go\n```json\n[{"name": "Read", "arguments": {"path": "a.ts"}}]\n```',
    is: { ...readA, thought: 'go' },
  },
  {
    title: 'a list of one object after Action:',
    reply: 'Action: [{"name": "Read", "arguments": {"path": "a.ts"}}]',
    is: readA,
  },
  {
    title: 'a list of two calls',
    reply: '[{"name": "Read", "arguments": {"path": "a.ts"}}, {"name": "LS", "arguments": {}}]',
    is: { malformed: 'one action at a time' },
  },
  {
    title: 'an answer that is a list of other objects',
    reply: '[{"name": "a.ts", "lines": 3}]',
    is: { answer: '[{"name": "a.ts", "lines": 3}]' },
  },
  // DeepSeek.
  {
    title: 'DeepSeek V3: its tokens and fenced JSON',
    reply:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Read\n```json\n{"path": "a.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    is: readA,
  },
  {
    title: 'DeepSeek V3.1: its tokens and JSON',
    reply:
      'Thought: Let me see.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>{"path": "a.ts"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    is: { ...readA, thought: 'Let me see.' },
  },
  {
    title: 'DeepSeek: its tokens right after a sentence',
    reply:
      '我来看一下。<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>{"path": "a.ts"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    is: { malformed: 'at the beginning of a line' },
  },
  {
    title: 'DeepSeek R1: thinking without its opening tag, then Chinese',
    reply: '好的，先看文件。\n</think>\n\n思考：先读文件\n行动：Read[{"path": "a.ts"}]',
    is: { ...readA, thought: '先读文件' },
  },
  {
    title: 'DeepSeek: a Chinese thought and its action in one line',
    reply: '思考：需要先看文件。 行动：Read[{"path": "a.ts"}]',
    is: { ...readA, thought: '需要先看文件。' },
  },
  {
    title: 'DeepSeek: bold Chinese markers with full-width colons',
    reply: '**思考**：先读文件。\n\n**行动**：Read[{"path"："a.ts"}]',
    is: { ...readA, thought: '先读文件。' },
  },
  {
    title: 'a Chinese action with its input below',
    reply: '思考：看看\n动作：Read\n动作输入：{"path": "a.ts"}\n观察：空',
    is: { ...readA, thought: '看看' },
  },
  {
    title: 'a Chinese answer under its own heading',
    reply: '思考：够了\n最终答案：端口是 8080。',
    is: { finish: '端口是 8080。', thought: '够了' },
  },
  {
    title: 'DeepSeek V3.2: a call in tags of its own',
    reply:
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="Read">\n<｜DSML｜parameter name="path" string="true">a.ts</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    is: { malformed: 'tool calls must be written as text here' },
  },
  {
    title: 'DeepSeek V4: such a call right after a sentence',
    reply:
      'Let me see.<｜DSML｜tool_calls>\n<｜DSML｜invoke name="Read">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls><｜end▁of▁sentence｜>',
    is: { malformed: 'at the beginning of a line' },
  },
  // Claude.
  {
    title: 'Claude: function_calls with invoke',
    reply:
      'I\'ll read it.\n\n<function_calls>\n<invoke name="Read">\n<parameter name="path">a.ts</parameter>\n</invoke>\n</function_calls>',
    is: { malformed: 'tool calls must be written as text here', thought: "I'll read it." },
  },
  {
    title: 'Claude: invoke alone',
    reply: '<invoke name="Read">\n<parameter name="path">a.ts</parameter>\n</invoke>',
    is: { malformed: 'Action: Tool[{"argument": "value"}]' },
  },
  {
    title: 'Claude: thinking in a tag, then the action',
    reply: '<thinking>\nI should look.\n</thinking>\n\nThought: look\nAction: Read[{"path": "a.ts"}]',
    is: { ...readA, thought: 'look' },
  },
  // GPT.
  {
    title: 'gpt-oss: its channel',
    reply: '<|channel|>commentary to=functions.Read <|constrain|>json<|message|>{"path": "a.ts"}<|call|>',
    is: readA,
  },
  {
    title: 'GPT: the call as providers wrap it',
    reply: '{"type": "function", "function": {"name": "Read", "arguments": "{\\"path\\": \\"a.ts\\"}"}}',
    is: readA,
  },
  {
    title: 'GPT: headings without colons',
    reply: '### Thought\nI look at it.\n\n### Action\nRead[{"path": "a.ts"}]',
    is: readA,
  },
  {
    title: 'GPT: a heading and a fence',
    reply: 'Thought: go\n\n### Action\n\n```\nRead[{"path": "a.ts"}]\n```',
    is: { ...readA, thought: 'go' },
  },
  {
    title: 'GPT: a bold heading without a colon',
    reply: 'Thought: go\n**Action**\nRead[{"path": "a.ts"}]',
    is: { ...readA, thought: 'go' },
  },
  {
    title: 'a heading that is part of an answer',
    reply: '### Action\n\nDelete the logs [1] and restart.',
    is: { answer: '### Action\n\nDelete the logs [1] and restart.' },
  },
  // Gemini.
  {
    title: 'Gemini: tool_code',
    reply: "I'll read it.\n```tool_code\nprint(Read(path='a.ts'))\n```",
    is: { malformed: 'not as code', thought: "I'll read it." },
  },
  {
    title: 'Gemini: a fence named tool_call with JSON',
    reply: '```tool_call\n{"name": "Read", "args": {"path": "a.ts"}}\n```',
    is: readA,
  },
  {
    title: 'Gemini: such a fence as an example',
    reply: 'Gemini writes:\n```tool_call\n{"name": "Read", "args": {"path": "a.ts"}}\n```',
    is: { malformed: 'not as code' },
  },
  {
    title: 'Gemini: bold in HTML',
    reply: '<b>Thought:</b> go<br>\n<b>Action:</b> Read[{"path": "a.ts"}]',
    is: { ...readA, thought: 'go<br>' },
  },
  {
    title: 'bold in HTML with the colon outside',
    reply: '<strong>Action</strong>: Read[{"path": "a.ts"}]',
    is: { ...readA, thought: '' },
  },
  // Mistral and LangChain.
  {
    title: 'Mistral: its token and a list',
    reply: '[TOOL_CALLS][{"name": "Read", "arguments": {"path": "a.ts"}}]',
    is: readA,
  },
  {
    title: 'Mistral: its token and a name',
    reply: '[TOOL_CALLS]Read[ARGS]{"path": "a.ts"}',
    is: readA,
  },
  {
    title: 'LM Studio: a tool request',
    reply: '[TOOL_REQUEST]{"name": "Read", "arguments": {"path": "a.ts"}}[END_TOOL_REQUEST]',
    is: readA,
  },
  {
    title: 'LangChain: a fenced object that is all of the reply',
    reply: '```json\n{\n  "action": "Read",\n  "action_input": {"path": "a.ts"}\n}\n```',
    is: readA,
  },
  {
    title: 'LangChain: a thought and a fenced object',
    reply: 'Thought: go\n```json\n{"action": "Read", "action_input": {"path": "a.ts"}}\n```',
    is: { ...readA, thought: 'go' },
  },
  {
    title: 'LangChain: a fenced answer',
    reply: '```json\n{"action": "Final Answer", "action_input": "It is 42."}\n```',
    is: { finish: 'It is 42.', thought: '' },
  },
  {
    title: 'a thought and a bare object',
    reply: 'Thought: go\n{"tool": "Read", "tool_input": {"path": "a.ts"}}',
    is: { ...readA, thought: 'go' },
  },
  {
    title: 'an answer that ends with a fenced call as an example',
    reply: 'LangChain writes:\n```json\n{"action": "Read", "action_input": {"path": "a.ts"}}\n```',
    is: { answer: 'LangChain writes:\n```json\n{"action": "Read", "action_input": {"path": "a.ts"}}\n```' },
  },
  {
    title: 'an answer that is a JSON file with a name',
    reply: '```json\n{"name": "shop", "version": "1.0.0", "input": {"a": 1}}\n```',
    is: { answer: '```json\n{"name": "shop", "version": "1.0.0", "input": {"a": 1}}\n```' },
  },
  {
    title: 'an answer that is one object',
    reply: '{"port": 8080}',
    is: { answer: '{"port": 8080}' },
  },
  // Quoted: nothing of it runs.
  {
    title: 'a thought that quotes a fenced action, and then the real one',
    reply: `Thought: the docs quote this:\n\`\`\`\n${writeX}\n\`\`\`\nI do not do that, I look.\nAction: Read[{"path":"a.ts"}]`,
    is: readA,
  },
  {
    title: 'a thought that quotes a fenced action, and the real one in a fence',
    reply: `Thought: the docs quote this:\n\`\`\`\n${writeX}\n\`\`\`\nI look instead.\n\`\`\`\nAction: Read[{"path":"a.ts"}]\n\`\`\``,
    is: readA,
  },
  {
    title: 'a thought that quotes a fenced action and decides against it',
    reply: `Thought: it says\n\`\`\`\n${writeX}\n\`\`\`\nI will not do this. The answer: no tool needed.`,
    is: {
      answer: `it says\n\`\`\`\n${writeX}\n\`\`\`\nI will not do this. The answer: no tool needed.`,
    },
  },
  {
    title: 'a thought that speaks of an action in its sentence',
    reply: 'Thought: The README tells users to write Action: Bash[{"command":"rm x"}]',
    is: { malformed: 'the action is not at the beginning of its line' },
  },
  {
    title: 'a thought that gives an action as an example',
    reply: 'Thought: one may write e.g. Action: Bash[{"command":"rm x"}]',
    is: { malformed: 'the action is not at the beginning of its line' },
  },
  {
    title: 'a thought whose sentence ends in bold, and its action',
    reply: 'Thought: **I open it.** **Action:** Read[{"path":"a.ts"}]',
    is: readA,
  },
  {
    title: 'a thought that speaks of an action and goes on',
    reply: 'Thought: One writes "Go. Action: Bash[{"command":"rm x"}]" there. That is all.',
    is: { answer: 'One writes "Go. Action: Bash[{"command":"rm x"}]" there. That is all.' },
  },
  {
    title: 'a whole transcript in a fence, explained',
    reply: `\`\`\`\nThought: write it\n${writeX}\n\`\`\`\nThis is what a step looks like.`,
    is: { answer: `\`\`\`\nThought: write it\n${writeX}\n\`\`\`\nThis is what a step looks like.` },
  },
  {
    title: 'two fenced examples',
    reply: `\`\`\`\nThought: one\n\`\`\`\nThen:\n\`\`\`\n${writeX}\n\`\`\``,
    is: { answer: `\`\`\`\nThought: one\n\`\`\`\nThen:\n\`\`\`\n${writeX}\n\`\`\`` },
  },
  {
    title: 'a fenced action that writes a file with a fence in it',
    reply:
      'Thought: write the readme\n```\nAction: Write[{"path":"r.md","content":"# T\n```sh\nnpm i\n```\nEnd"}]\n```',
    is: { call: 'Write', args: { path: 'r.md', content: '# T\n```sh\nnpm i\n```\nEnd' } },
  },
  {
    title: 'a fence around a reply that writes a file with a fence in it',
    reply:
      '```\nThought: write the readme\nAction: Write[{"path":"r.md","content":"# T\n```sh\nnpm i\n```\nEnd"}]\n```',
    is: {
      call: 'Write',
      args: { path: 'r.md', content: '# T\n```sh\nnpm i\n```\nEnd' },
      thought: 'write the readme',
    },
  },
  {
    title: 'a fenced action with broken JSON that writes a file with a fence in it',
    reply:
      'Thought: write the readme\n```\nAction: Write[{"path":"r.md","content":"say "hi"\n```sh\nnpm i\n```\nEnd"}]\n```',
    is: { malformed: 'JSON cannot be read', thought: 'write the readme' },
  },
  {
    title: 'a fenced action and an observation that was made up',
    reply: 'Thought: go\n```\nAction: Read[{"path":"a.ts"}]\n```\nObservation: empty\nIt is empty.',
    is: { ...readA, thought: 'go' },
  },
  {
    title: 'a thought, an answer in words and a fenced example at its end',
    reply: `Thought: The user asks how Write is called. I show it.\n\nYou call it like this:\n\`\`\`\n${writeX}\n\`\`\``,
    is: {
      malformed: 'may be an example',
      thought: 'The user asks how Write is called. I show it.\n\nYou call it like this:',
    },
  },
  {
    title: 'a thought, an answer in words and a fenced object at its end',
    reply:
      'Thought: I show it.\n\nLangChain writes it so.\n```json\n{"name": "Bash", "arguments": {"command": "rm x"}}\n```',
    is: { malformed: 'may be an example' },
  },
  {
    title: 'a thought, an answer in words and a bare object at its end',
    reply: 'Thought: I show it.\n\nOne writes\n{"name": "Bash", "arguments": {"command": "rm x"}}',
    is: { malformed: 'may be an example' },
  },
  {
    title: 'a thought that leads up to a fenced action',
    reply: `Thought: the docs say:\n\`\`\`\n${writeX}\n\`\`\``,
    is: { malformed: 'may be an example', thought: 'the docs say:' },
  },
  {
    title: 'a second fence right after the first',
    reply: `Thought: two forms\n\`\`\`\na\n\`\`\`\n\`\`\`\n${writeX}\n\`\`\``,
    is: { malformed: 'may be an example' },
  },
  {
    title: 'a thought in the paragraph below its marker, and a fenced action',
    reply: 'Thought:\n\nI look at it.\n\n```\nAction: Read[{"path":"a.ts"}]\n```',
    is: { ...readA, thought: 'I look at it.' },
  },
  {
    title: 'a heading and a fenced object',
    reply: 'Thought: go\n\n### Action\n\n```json\n{"name": "Read", "arguments": {"path": "a.ts"}}\n```',
    is: readA,
  },
  {
    title: 'a table that names an action',
    reply: '| form | example |\n|---|---|\n| tool | Action: Read[{"path":"a.ts"}] |',
    is: { answer: '| form | example |\n|---|---|\n| tool | Action: Read[{"path":"a.ts"}] |' },
  },
  {
    title: 'a list that names an action',
    reply: 'Steps:\n- Action: Read[{"path":"a.ts"}]\n- wait',
    is: { answer: 'Steps:\n- Action: Read[{"path":"a.ts"}]\n- wait' },
  },
  {
    title: 'an action between backticks',
    reply: 'Thought: it is about `Action: Bash[{"command":"rm x"}]` in the docs, which I explain.',
    is: { answer: 'it is about `Action: Bash[{"command":"rm x"}]` in the docs, which I explain.' },
  },
  {
    title: 'a result that the model wrote itself, and nothing else',
    reply: '[tool] {"status":"success","data":{"content":"invented"}}',
    is: { malformed: 'a tool result that you made up' },
  },
]
