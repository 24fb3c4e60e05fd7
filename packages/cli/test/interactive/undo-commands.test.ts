import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { flagsOf } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'
import { answering, leave, talkTo } from './support/conversations.js'

const changes = [
  action('Read', { path: 'a.ts' }),
  action('Edit', { path: 'a.ts', old_string: 'one', new_string: 'two' }),
  action('Write', { path: 'b.ts', content: 'b\n' }),
  finish('Both are changed.'),
]

test('H1 /undo shows what would change, does it after a yes, and leaves another’s edit alone; /redo and /diff work', async () => {
  const folder = makeFolder({ 'a.ts': 'one\n' })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const server = await answering(...changes, finish('A new answer.'))
  const talk = await talkTo(server, folder, { args: ['--allow', 'Edit,Write'] })
  talk.type('Change the files<enter>')
  await talk.until('Both are changed.')
  await talk.until(/round 1\b/)
  expect([read('a.ts'), read('b.ts')]).toEqual(['two\n', 'b\n'])

  talk.type('/diff 99<enter>')
  await talk.until(/\/diff takes a round, 1 to \d+, not 99/)
  talk.type('/diff<enter>')
  await talk.until('create b.ts +1 -0')
  expect(talk.text).toMatch(/change a\.ts \+1 -1\n[\s\S]*1 - one\n\s+1 \+ two/)

  talk.type('/undo<enter>')
  await talk.until('▸ 1. Yes, undo it')
  expect(talk.text).toMatch(
    /1 round would leave the view:\n {2}1 {2}Change the files\n2 files would change:\n {2}change a\.ts \+1 -1\n--- a\/a\.ts\n\+\+\+ b\/a\.ts\n[^\n]*\n +1 - two\n +1 \+ one\n {2}delete b\.ts \+0 -1\n/,
  )
  talk.type('2')
  await talk.until('nothing was changed')
  expect(read('a.ts')).toBe('two\n')

  // Somebody else edits one of the files.
  writeFileSync(join(folder, 'a.ts'), 'two\nand mine\n')
  talk.type('/undo<enter>')
  await talk.until('a.ts: edited since by somebody else')
  await talk.until(() => talk.screen.includes('▸ 1. Yes, undo it'))
  talk.type('1')
  await talk.until('Undone: 1 round, 1 file changed.')
  await talk.until(() => !/· round 1/.test(talk.screen))
  expect(read('a.ts')).toBe('two\nand mine\n')
  expect(() => read('b.ts')).toThrow('ENOENT')

  talk.type('/redo<enter>')
  await talk.until('▸ 1. Yes, redo it')
  talk.type('<enter>')
  await talk.until('Redone: 1 round, 1 file changed.')
  expect([read('a.ts'), read('b.ts')]).toEqual(['two\nand mine\n', 'b\n'])

  // The next request has what was brought back.
  talk.type('Go on<enter>')
  await talk.until('A new answer.')
  expect(server.requests.at(-1)?.body).toContain('Change the files')
  await leave(talk)
})

test('H1 rounds of mutsumi -p are undone in a conversation that continues them, in Chinese too', async () => {
  const folder = makeFolder({ 'a.ts': 'one\n' })
  const asked = ['-p', 'Change the files', '--allow', 'Edit,Write', ...flagsOf(await answering(...changes))]
  expect(await run(folder, asked)).toMatchObject({ code: 0, stdout: 'Both are changed.\n' })
  const server = await answering(finish('Nothing of it is left.'))
  const talk = await talkTo(server, folder, { args: ['--continue'], env: { MUTSUMI_LANG: 'zh' } })
  talk.type('/undo 5<enter>')
  await talk.until('▸ 1. 是，撤销')
  talk.type('1')
  await talk.until('已撤销 1 轮，改动了 2 个文件。')
  expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe('one\n')
  talk.type('What is there?<enter>')
  await talk.until('Nothing of it is left.')
  expect(server.requests.at(-1)?.body).not.toContain('Change the files')
  talk.type('/redo<enter>')
  await talk.until('所以没有可以重做的内容')
  await leave(talk)
})
