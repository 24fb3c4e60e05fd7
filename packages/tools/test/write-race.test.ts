import { spawn } from 'node:child_process'
import { readdirSync, writeSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { contains } from '../src/index.js'
import { replaceFile } from '../src/workspace/replace-file.js'
import { contentOf } from './editing.js'
import { temporaryFolder } from './temporary-folder.js'

/** Puts harmless things and links to the outside in the same places, in turns, as fast as it can. */
const swapper = `
  const { readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
  const [folder, outside] = process.argv.slice(1)
  process.chdir(folder)
  for (;;) {
    symlinkSync(outside + '/file.txt', 'next')
    renameSync('next', 'file.txt')
    writeFileSync('next', 'harmless')
    renameSync('next', 'file.txt')
    renameSync('sub', 'kept')
    symlinkSync(outside, 'sub')
    for (let wait = 0; wait < 20; wait++) readlinkSync('sub')
    rmSync('sub')
    renameSync('kept', 'sub')
  }
`

test('T6 while files and folders are swapped for links, no write lands outside', async () => {
  const outside = temporaryFolder({ 'file.txt': 'theirs' })
  const folder = temporaryFolder({ 'file.txt': 'harmless', 'sub/file.txt': 'harmless' })
  const child = spawn(process.execPath, ['-e', swapper, folder.path, outside.path], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))

  // Nothing waits for the disk, so that there are more chances to be fooled.
  const disk = { write: writeSync, sync: () => undefined }
  const admits = (path: string) => contains(folder.path, path)
  const answers = new Map<string, number>()
  const enough = () => ['written', 'ACCESS_DENIED'].every((answer) => answers.has(answer))
  const started = Date.now()
  for (let round = 0; Date.now() - started < 1000 || (!enough() && Date.now() - started < 20_000); round++) {
    const attempts = {
      'file.txt': 'harmless',
      'sub/file.txt': 'harmless',
      [`sub/new-${round}.txt`]: undefined,
      [`sub/deep-${round}/new.txt`]: undefined,
    }
    for (const [name, content] of Object.entries(attempts)) {
      const expected = content === undefined ? undefined : Buffer.from(content)
      const result = replaceFile(folder.at(name), { admits, expected, bytes: Buffer.from('harmless'), disk })
      const answer = result.kind === 'fault' ? result.code : result.kind
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
    await new Promise(setImmediate)
  }

  expect(readdirSync(outside.path)).toEqual(['file.txt'])
  expect(contentOf(outside, 'file.txt')).toBe('theirs')
  expect(enough(), 'the swapping must have been seen, or this test proves nothing').toBe(true)
})
