import { expect, test } from 'vitest'
import { argumentLines } from '../../src/interactive/cards/argument-lines.js'
import { diffLines } from '../../src/interactive/cards/diff.js'
import { type Line, lineText } from '../../src/interactive/text/span.js'
import { makeFolder } from '../support/command.js'
import { action, finish } from '../support/scripted.js'
import { answering, leave, talkTo } from './support/conversations.js'

const texts = (lines: readonly Line[]) => lines.map(lineText)
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `export const line${index + 1} = 'a text of line ${index + 1}'`)

test('P4 all of a long change can be read before it is allowed, and its code has colours', async () => {
  const lines = numbered(300)
  const write = action('Write', { path: 'long.ts', content: `${lines.join('\n')}\n` })
  const server = await answering(write, finish('written'))
  const talk = await talkTo(server, makeFolder(), { columns: 100 })
  talk.type('Write it<enter>')
  await talk.until('1. Yes, this once')
  expect(talk.text).toContain('263 more lines, Ctrl-O shows all')
  expect(talk.text).not.toContain('a text of line 200')
  talk.type('<ctrl+o>')
  await talk.until("300 + export const line300 = 'a text of line 300'")
  expect(lines.filter((line) => !talk.text.includes(line))).toEqual([])
  expect(talk.text).not.toMatch(/more lines\)/)
  expect(talk.sent).toContain('\u001b[35mexport')
  // The question is still open, and below what it is about.
  expect(talk.screen).toContain('1. Yes, this once')
  await talk.answer('1')
  await talk.until('\nwritten\n')
  await leave(talk)
})

test('P4 the words that changed are marked in each line of a longer change, and code keeps its colours', () => {
  const shown = diffLines(`--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,4 @@
 const a = 1
-const b = two // why
-const c = 'three'
+const b = three // why
+const c = 'four'
+nothing(like, it)
 /* open`)
  const marked = (line: Line = []) => line.filter(({ style }) => style?.underline).map(({ text }) => text)
  expect(shown.map(marked).slice(4, 9)).toEqual([['two'], ['three'], ['three'], ['four'], []])
  const colored = (line: Line = [], color: string) =>
    line.filter(({ style }) => style?.color === color).map(({ text }) => text)
  expect(colored(shown[4], 'magenta')).toEqual(['const'])
  expect(colored(shown[4], 'gray').join('')).toBe('// why')
  // Green and red say only which side a line is on.
  expect(colored(shown[5], 'green')).toEqual([])
  expect(colored(shown[5], 'red').join('')).toBe("-  c = 'three'")
  expect(colored(shown[9], 'gray').join('')).toBe('/* open')
})

test('P4 a call without a diff or a command shows its arguments, and nothing of them is hidden', () => {
  const args = { title: 'Two\nlines\u202e', tags: ['a', 'b'], to: { repo: 'x' }, list: [{ n: 1 }] }
  expect(texts(argumentLines(args))).toEqual([
    ...['  title: ', '    Two', '    lines\\u202e', '  tags: a; b'],
    ...['  to: ', '    repo: x', '  list: ', '    1: ', '      n: 1'],
  ])
})
