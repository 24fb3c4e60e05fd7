import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test } from 'vitest'
import { Workspace } from '../../src/index.js'
import { ReadScope } from '../../src/workspace/allowed-folders.js'
import { withOpened } from '../../src/workspace/open-checked.js'
import { listFolder } from '../../src/workspace/read-folder.js'
import { faultOf, readOnce } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

// The tests change files between two looks at the disk on purpose; a race would do it only sometimes.

test('R7 the opened folder is listed, even if another folder takes its name', () => {
  const folder = temporaryFolder({ 'ws/inside': '', 'other/SECRET': '' })
  const names = withOpened(folder.at('ws'), new ReadScope([folder.path]).admits, (opened) => {
    fs.renameSync(folder.at('ws'), folder.at('gone'))
    fs.renameSync(folder.at('other'), folder.at('ws'))
    return listFolder(opened).map(({ name }) => name)
  })
  expect(names).toEqual(['inside'])
})

/** Calls `act` right after the first look at this path, before it is opened. */
function afterLookAt(look: 'statSync' | 'lstatSync', isMeant: (path: string) => boolean, act: () => void) {
  const own = fs[look]
  const restore = () => {
    Object.assign(fs, { [look]: own })
    syncBuiltinESMExports()
  }
  onTestFinished(restore)
  const watched = (path: string, ...rest: never[]) => {
    const found = own(path, ...rest)
    if (isMeant(path)) {
      restore()
      act()
    }
    return found
  }
  Object.assign(fs, { [look]: watched })
  syncBuiltinESMExports()
}

/**
 * Puts a FIFO in a file's place. Long after any answer somebody takes its other end, or a wait for them would never
 * end. They leave a mark first, by which a test knows that there was a wait.
 */
function becomeFifo(path: string): void {
  fs.rmSync(path)
  execFileSync('mkfifo', [path])
  const script = 'sleep 30; : > "$0.blocked"; exec 3<>"$0"; sleep 2'
  const rescuer = spawn('sh', ['-c', script, path], { stdio: 'ignore', detached: true })
  onTestFinished(() => void process.kill(-(rescuer.pid ?? 0), 'SIGKILL'))
}

test('R8 a file that becomes a FIFO between the check and the opening does not block', () => {
  const folder = temporaryFolder({ 'a.txt': 'content' })
  const path = folder.at('a.txt')
  afterLookAt(
    'statSync',
    (looked) => looked === path,
    () => becomeFifo(path),
  )
  expect(faultOf(readOnce(path, { root: folder.path }))).toBe('ACCESS_DENIED: is not a regular file (a pipe)')
  expect(fs.existsSync(`${path}.blocked`)).toBe(false)
})

test('T6 a file that becomes a FIFO before it is replaced does not block', () => {
  const folder = temporaryFolder({ 'a.txt': 'content' })
  const path = folder.at('a.txt')
  const workspace = new Workspace({ root: folder.path })
  const allowed = [folder.path]
  const expected = workspace.load(path, { allowed, maxBytes: 100 })
  if (expected.kind !== 'loaded') return expect.fail(expected.kind)
  afterLookAt(
    'lstatSync',
    (looked) => looked.startsWith('/proc/self/fd/') && looked.endsWith('/a.txt'),
    () => becomeFifo(path),
  )
  const answer = workspace.replace(path, { allowed, expected, bytes: Buffer.from('new') })
  expect(answer.kind).toBe('fault')
  expect(fs.existsSync(`${path}.blocked`)).toBe(false)
})
