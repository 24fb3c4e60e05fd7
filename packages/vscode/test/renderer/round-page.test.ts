import { expect, test } from 'vitest'
import { commandGlimpse } from '../../src/notebook/command-glimpse.js'
import type { RendererMessage } from '../../src/notebook/renderer-message.js'
import type { RoundOutput, ToolPart } from '../../src/notebook/round-output.js'
import type { PageElement } from '../../src/renderer/elements.js'
import { roundFoot, shownPart } from '../../src/renderer/round-page.js'
import { codeColours } from '../../src/renderer/style.js'
import { type CardTools, diff, question } from '../../src/renderer/tool-card.js'
import { wordsFor } from '../../src/renderer/words.js'
import { click, htmlOf, textIn, withClass } from '../support/html.js'

function tools(language = 'en') {
  const sent: RendererMessage[] = []
  const post = (message: RendererMessage) => void sent.push(message)
  const made: CardTools = {
    ...{ words: wordsFor(language), cell: 'c1', post },
    openFile: (place) => post({ type: 'open', ...place }),
  }
  return { ...made, sent }
}

const call: ToolPart = { kind: 'tool', call: 't1', name: 'Edit', argument: 'src/a.ts', status: 'success' }
const patch = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -4,3 +4,3 @@\n same\n-old\n+new\n same'

test('H2 the file of a card is a link to the first line that the call changed', () => {
  const { sent, ...card } = tools()
  const shown = shownPart({ ...call, file: { path: 'src/a.ts' }, diff: patch }, card)
  click(withClass(shown, 'file')[0])
  expect(sent).toEqual([{ type: 'open', path: 'src/a.ts', line: 5 }])
  expect(withClass(shownPart({ ...call, name: 'Bash', argument: 'ls' }, card), 'file')).toEqual([])
})

test('H2 a card shows its diff by lines, and what the model read is a click away', () => {
  const { sent, ...card } = tools()
  const shown = shownPart({ ...call, diff: patch }, card)
  expect(withClass(shown, 'added').map(textIn)).toEqual(['+new'])
  expect(withClass(shown, 'removed').map(textIn)).toEqual(['-old'])
  click(withClass(shown, 'link').at(-1))
  expect(sent).toEqual([{ type: 'details', cell: 'c1', call: 't1' }])
})

test('P4 in a diff the words that changed are marked, and code has its colours', () => {
  const text = '--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,4 @@\n const one = 1\n-let two = 2\n+let two = 3\n+\n'
  const marked = (shown: PageElement | undefined) => (shown ? withClass(shown, 'changed').map(textIn) : [])
  const pair = diff(text.replace('+\n', ''))
  expect(marked(withClass(pair, 'removed')[0])).toEqual(['2'])
  expect(marked(withClass(pair, 'added')[0])).toEqual(['3'])
  expect(withClass(withClass(pair, 'same'), 'code-keyword').map(textIn)).toEqual(['const'])
  // Of several new lines, no word replaced another.
  const several = diff(text)
  expect(marked(withClass(several, 'added')[0])).toEqual([])
  expect(textIn(several)).toBe(`${text.split('\n').slice(2, -1).join('')} `)
})

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)
const failing = {
  text: `${lines(40).join('\n')}\noops\n`,
  ...{ errors: 'oops\n', exitCode: 3, isCut: false },
}

test('P5 the card of a failed command is red and open: its first lines, how many more, and the end of its errors', () => {
  const glimpse = commandGlimpse(failing)
  const ran = { ...call, name: 'Bash', status: 'partial', line: 'exit code 3, 41 lines', glimpse } as const
  const shown = shownPart({ ...ran, command: 'seq 40\necho oops >&2\nexit 3' }, tools())
  expect(htmlOf(shown)).toMatch(/^<details class="tool partial failed" open="">/)
  expect(withClass(shown, 'mark').map(textIn)).toEqual(['●'])
  expect(withClass(shown, 'output').map(textIn)).toEqual([
    'line 1\nline 2\nline 3\nline 4\nline 5\n… 35 more lines\noops\n',
  ])
  expect(withClass(shown, 'stderr').map(textIn)).toEqual(['oops\n'])
  expect(withClass(shown, 'target').map(textIn)).toEqual(['seq 40\necho oops >&2\nexit 3'])
  expect(textIn(shownPart(ran, tools('zh-cn')))).toContain('… 还有 35 行')
  const short = { ...failing, text: 'oops\n' }
  expect(textIn(withClass(shownPart({ ...ran, glimpse: commandGlimpse(short) }, tools()), 'output'))).toBe(
    'oops\n',
  )
  // One that succeeded is closed, and says as much when it is opened.
  const fine = shownPart(
    { ...ran, status: 'success', glimpse: commandGlimpse({ ...failing, exitCode: 0 }) },
    tools(),
  )
  expect(htmlOf(fine)).toMatch(/^<details class="tool success">/)
  expect(textIn(withClass(fine, 'more'))).toBe('… 36 more lines\n')
})

test('P4 a line of a block comment in a diff is a comment, not code', () => {
  const text = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,4 @@\n /**\n+ * if this is new\n+ */\n const one = 1'
  const kinds = (name: string, shown: string) => withClass(diff(shown), name).map(textIn)
  expect(kinds('code-comment', text)).toEqual(expect.arrayContaining([' * if this is new', ' */']))
  expect(kinds('code-keyword', text)).toEqual(['const'])
  // A list of Markdown is none.
  expect(kinds('code-comment', text.replaceAll('a.ts', 'a.md'))).not.toContain(' * if this is new')
})

test('H2 a thought is closed, with its first line as its title', () => {
  expect(htmlOf(shownPart({ kind: 'thought', text: 'First\n\nsecond' }, tools()))).toBe(
    '<details class="thought"><summary>Thought: First</summary><div class="markdown"><p>First</p><p>second</p></div></details>',
  )
})

const round: RoundOutput = {
  ...{ version: 1, cell: 'c1', state: 'done', parts: [{ kind: 'text', text: 'Yes' }] },
  usage: { input: 1000, output: 20, cached: 500 },
}

test('H2 the foot of a round has its tokens and their price in both languages, and how it ended', () => {
  expect(textIn(roundFoot(round, tools()))).toContain('1000 tokens in (50 % cached), 20 out')
  expect(textIn(roundFoot(round, tools('zh-cn')))).toContain(
    '输入 1000 个 token（50 % 命中缓存），输出 20 个',
  )
  const priced = { ...round, usage: { input: 9, output: 1, cached: 0, cost: 0.01234 } }
  expect(textIn(roundFoot(priced, tools()))).toContain('9 tokens in, 1 out · cost 0.012')
  expect(textIn(roundFoot(priced, tools('zh-cn')))).toContain('费用 0.012')
  const failed = roundFoot({ ...round, state: 'failed', message: 'no way' }, tools())
  expect(textIn(failed)).toContain('Failed: no way')
  expect(textIn(roundFoot({ ...round, state: 'running' }, tools()))).toBe('Working…')
})

test('P4 P6 a question shows all of a long change, and the foot says who waits', () => {
  const preview = ['@@ -0,0 +1,300 @@', ...Array.from({ length: 300 }, (_, index) => `+line ${index}`)].join(
    '\n',
  )
  const asked = { id: 'q1', name: 'Write', target: 'src/a.ts', reason: 'no rule', lasting: [], preview }
  const part: ToolPart = { ...call, status: 'asking', question: asked }
  const { sent, ...card } = tools()
  const shown = shownPart(part, card)
  expect(withClass(shown, 'added')).toHaveLength(300)
  expect(textIn(withClass(shown, 'answers'))).toContain('Refuse with a reason')
  // Only a person answers, and this click is none.
  click(withClass(shown, 'once')[0])
  expect(sent).toEqual([])
  expect(textIn(roundFoot({ ...round, state: 'running', parts: [part] }, card))).toMatch(/^Waiting for you/)
  const ofAgent = { ...round, state: 'running', parts: [], asked: [asked] } as const
  expect(textIn(roundFoot(ofAgent, tools('zh-cn')))).toMatch(/^等待你的决定/)
})

test('H2 a question about a file names it once, in its card; one without a card says what it is about', () => {
  const preview = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,1 +1,1 @@\n-old\n+new'
  const asked = { id: 'q1', name: 'Edit', target: 'src/a.ts', reason: 'no rule', lasting: [], preview }
  const card = shownPart({ ...call, status: 'asking', question: asked }, tools())
  expect(textIn(card).split('src/a.ts')).toHaveLength(2)
  const { preview: _, ...command } = { ...asked, name: 'Bash', target: 'ls -l' }
  const ran = shownPart({ ...call, argument: 'ls -l', status: 'asking', question: command }, tools())
  expect(withClass(ran, 'target').map(textIn)).toEqual(['ls -l'])
  expect(withClass(question(asked, tools()), 'target').map(textIn)).toEqual(['src/a.ts'])
  // A diff of several files, and one that gives a file another name, keep the names.
  const renamed = preview.replace('+++ b/src/a.ts', '+++ b/src/b.ts')
  for (const text of [`${preview}\n${preview}`, renamed])
    expect(textIn(diff(text))).toContain('--- a/src/a.ts')
})

test('H2 advice below a failed round is buttons, also if nothing was sent', () => {
  const { sent, ...page } = tools('zh-cn')
  const foot = roundFoot({ ...round, state: 'failed', remedies: ['key', 'model'] }, page)
  const buttons = withClass(foot, 'remedy')
  expect(buttons.map(textIn)).toEqual(['保存密钥', '选择模型'])
  for (const each of buttons) click(each)
  expect(sent).toEqual([
    { type: 'remedy', remedy: 'key', cell: 'c1' },
    { type: 'remedy', remedy: 'model', cell: 'c1' },
  ])
})

/** Backgrounds of code in the editor's own themes; those of light themes on white. */
const grounds = {
  'vscode-light': '#f8f8f8',
  'vscode-dark': '#2b2b2b',
  'vscode-high-contrast': '#000000',
  'vscode-high-contrast-light': '#f2f2f2',
}

test('H2 colours of code can be read in light, dark and high contrast themes', () => {
  for (const [theme, colours] of Object.entries(codeColours)) {
    const ground = grounds[theme as keyof typeof grounds]
    const least = theme.includes('high') ? 7 : 4.5
    const weak = Object.entries(colours).filter(([, colour]) => contrast(colour, ground) < least)
    expect([theme, weak]).toEqual([theme, []])
  }
})

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [light(one), light(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function light(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
