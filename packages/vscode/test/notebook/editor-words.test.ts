import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commands, editorWarning, forEditor } from '../../src/notebook/editor-words.js'
import { localRound } from '../../src/notebook/local-round.js'
import { hear, newRound } from '../../src/notebook/round-output.js'

const words = (name: string) =>
  Object.values(
    JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')) as Record<string, string>,
  )

test('H2 4f advice for a terminal names the command of the editor, in its language', () => {
  const said =
    'Recall returns every result; `mutsumi compact --undo` brings them back; history.cleanAbove=0 too.'
  expect(forEditor(said, 'en')).toBe(
    'Recall returns every result; "Undo Compaction" brings them back; history.cleanAbove=0 too.',
  )
  expect(forEditor('这一行不再发送；`mutsumi compact --undo` 可以恢复。', 'zh-cn')).toBe(
    '这一行不再发送；“撤销压缩” 可以恢复。',
  )
  expect(
    forEditor(
      'read it first (mutsumi export --format json shows it, mutsumi compact --undo removes it)',
      'en',
    ),
  ).toBe('read it first ("Export" shows it, "Undo Compaction" removes it)')
  expect(forEditor('x needs a key: set OPENAI_API_KEY. --model offline answers.', 'en')).toBe(
    'x needs a key.',
  )
})

test('H2 4f the commands have the titles of the manifest', () => {
  const [english, chinese] = [words('package.nls.json'), words('package.nls.zh-cn.json')]
  for (const { titles } of commands) {
    expect(english.map((text) => text.replace('…', ''))).toContain(titles.en)
    expect(chinese.map((text) => text.replace('…', ''))).toContain(titles.zh)
  }
})

test('H2 4f a warning in a round or below a prompt has no flag of the terminal', () => {
  const warning = {
    code: 'untrusted-file',
    message: 'the call is in a file, and this workspace is not trusted (--trust)',
    phrase: { code: 'untrusted-file', args: [] },
    source: 'a.md',
  }
  const heard = hear(newRound('c'), { type: 'warning', warning })
  expect(localRound(heard, 'en').parts).toMatchObject([
    { text: 'a.md: the call is in a file, and this workspace is not trusted ("Trust This Folder")' },
  ])
  expect(editorWarning(warning, 'zh-cn').message).toBe('调用在文件中，而此工作区不受信任（“信任此文件夹”）')
})

test('H2 N19a the third cell is cell 3, in any language', () => {
  const warning = {
    code: 'x',
    message: 'it existed when cell 2 mentioned it, but is gone',
    source: 'cell 2',
    line: 1,
  }
  expect(editorWarning(warning, 'en')).toMatchObject({
    source: 'cell 3',
    message: 'it existed when cell 3 mentioned it, but is gone',
  })
  expect(editorWarning({ ...warning, message: '单元格 2 提到它时存在' }, 'zh-cn').message).toBe(
    '单元格 3 提到它时存在',
  )
  const heard = hear(newRound('c'), { type: 'warning', warning })
  expect(localRound(heard, 'en').parts).toMatchObject([{ text: expect.stringMatching(/^cell 3:1: /) }])
})
