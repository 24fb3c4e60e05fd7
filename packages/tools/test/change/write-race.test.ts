import { spawn } from 'node:child_process'
import { readdirSync, renameSync, writeSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { write } from '../../src/change/write.js'
import { createToolRunner, PermissionGate, parsePermissionRule, Workspace } from '../../src/index.js'
import { contains } from '../../src/workspace/paths.js'
import { replaceFile } from '../../src/workspace/replace-file.js'
import { contentOf } from '../support/editing.js'
import { ended } from '../support/ended.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/**
 * Does a step of the swapping until it works: the writer may make the folder anew in the moment when there is none. A
 * swapper that dies of that swaps nothing more, and the test proves nothing.
 */
const insist = `
  const { readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
  const insist = (step) => {
    for (;;) {
      try { return step() } catch {}
      try { rmSync('sub', { recursive: true, force: true }) } catch {}
    }
  }
`

/** Puts harmless things and links to the outside in the same places, in turns, as fast as it can. */
const swapper = `
  ${insist}
  const [folder, outside] = process.argv.slice(1)
  process.chdir(folder)
  for (;;) {
    symlinkSync(outside + '/file.txt', 'next')
    renameSync('next', 'file.txt')
    writeFileSync('next', 'harmless')
    renameSync('next', 'file.txt')
    renameSync('sub', 'kept')
    insist(() => symlinkSync(outside, 'sub'))
    for (let wait = 0; wait < 20; wait++) readlinkSync('sub')
    rmSync('sub')
    insist(() => renameSync('kept', 'sub'))
  }
`

test('T6 while files and folders are swapped for links, no write goes outside', async () => {
  const outside = temporaryFolder({ 'file.txt': 'theirs' })
  const folder = temporaryFolder({ 'file.txt': 'harmless', 'sub/file.txt': 'harmless' })
  const child = spawn(process.execPath, ['-e', swapper, folder.path, outside.path], { stdio: 'ignore' })
  onTestFinished(() => ended(child))

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

/** Turns `sub` into a link to the hooks and back, with pauses of different lengths. */
const turner = `
  ${insist}
  process.chdir(process.argv[1])
  for (let round = 0; ; round++) {
    renameSync('sub', 'kept')
    insist(() => symlinkSync('.git/hooks', 'sub'))
    for (let wait = 0; wait < (round * 53) % 2000; wait++) readlinkSync('sub')
    rmSync('sub')
    insist(() => renameSync('kept', 'sub'))
    for (let wait = 0; wait < (round * 37) % 4000; wait++) { try { readlinkSync('sub') } catch {} }
  }
`

test('A8 while a folder is swapped for a link to the hooks, a write that was allowed elsewhere never goes there', async () => {
  const folder = temporaryFolder({ '.git/hooks/kept': '', '.git/config': '', 'sub/kept': '' })
  const child = spawn(process.execPath, ['-e', turner, folder.path], { stdio: 'ignore' })
  onTestFinished(() => ended(child))
  const rule = parsePermissionRule('Write')
  const allow = rule.kind === 'rule' ? [rule.rule] : expect.fail(rule.message)
  const gate = new PermissionGate({ root: folder.path, rules: [{ allow, deny: [] }] })
  const workspace = new Workspace({ root: folder.path })
  const runner = createToolRunner({ workspace, tools: [write], permit: gate.permit })

  const answers = new Map<string, number>()
  const enough = () => ['success', 'PERMISSION_DENIED'].every((answer) => answers.has(answer))
  const started = Date.now()
  for (let round = 0; Date.now() - started < 2000 || (!enough() && Date.now() - started < 30_000); round++) {
    const args = { path: `sub/hook-${round}`, content: 'x' }
    const result = await runner.run({ name: 'Write', args }, { allowed: [folder.path] })
    const answer = result.status === 'error' ? result.error.code : result.status
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  }

  expect(readdirSync(folder.at('.git/hooks'))).toEqual(['kept'])
  expect(enough(), 'the swapping must have been seen, or this test proves nothing').toBe(true)
})

test('A8 an approved write goes to the path as it was at the question, or nowhere', async () => {
  const folder = temporaryFolder({ '.git/hooks/kept': '', 'sub/kept': '' })
  const gate = new PermissionGate({
    root: folder.path,
    // While the user reads the question, the folder becomes a link.
    ask: async () => {
      renameSync(folder.at('sub'), folder.at('kept'))
      folder.link('sub', '.git/hooks')
      return 'once'
    },
  })
  const workspace = new Workspace({ root: folder.path })
  const runner = createToolRunner({ workspace, tools: [write], permit: gate.permit })
  const args = { path: 'sub/pre-commit', content: 'x' }
  const result = await runner.run({ name: 'Write', args }, { allowed: [folder.path] })
  expect(result).toMatchObject({ status: 'error' })
  expect(readdirSync(folder.at('.git/hooks'))).toEqual(['kept'])
})
