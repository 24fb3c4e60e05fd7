import { spawn } from 'node:child_process'
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { constant, growth } from '../../../../test/support/growth.js'
import { Workspace } from '../../src/index.js'
import { realPathOrPlanned } from '../../src/workspace/real-path.js'
import { faultOf, limits, outsideFault, readOnce, textOf } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('files that are not regular', () => {
  test('R8 a FIFO is refused at once, without blocking', () => {
    const folder = temporaryFolder()
    folder.pipe('pipe')
    // If the opening did block, this writer would release it, and leave its mark first.
    const script = 'sleep 30; : > "$0.blocked"; : > "$0"'
    const rescuer = spawn('sh', ['-c', script, folder.at('pipe')], { detached: true })
    onTestFinished(() => void process.kill(-(rescuer.pid ?? 0)))
    expect(faultOf(readOnce(folder.at('pipe'), { root: folder.path }))).toBe(
      'ACCESS_DENIED: is not a regular file (a pipe)',
    )
    expect(existsSync(folder.at('pipe.blocked'))).toBe(false)
  })

  test('R8 a process that waits to write to a FIFO does not notice the attempt', async () => {
    const folder = temporaryFolder()
    folder.pipe('pipe')
    const script = ': > "$0"; : > "$0.opened"'
    const writer = spawn('sh', ['-c', script, folder.at('pipe')], { detached: true })
    onTestFinished(() => void process.kill(-(writer.pid ?? 0)))
    await setTimeout(300)
    expect(readOnce(folder.at('pipe'), { root: folder.path })).toMatchObject({ code: 'ACCESS_DENIED' })
    await setTimeout(300)
    expect(existsSync(folder.at('pipe.opened'))).toBe(false)
  })

  test('R8 a link to a FIFO is refused too', () => {
    const folder = temporaryFolder()
    folder.pipe('pipe')
    folder.link('link', 'pipe')
    expect(faultOf(readOnce(folder.at('link'), { root: folder.path }))).toContain('(a pipe)')
  })

  test('R8 a socket is refused', async () => {
    const folder = temporaryFolder()
    const server = createServer().listen(folder.at('socket'))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    expect(faultOf(readOnce(folder.at('socket'), { root: folder.path }))).toBe(
      'ACCESS_DENIED: is not a regular file (a socket)',
    )
  })

  test('R8 a device is refused, even if its folder is allowed', () => {
    const { path: root } = temporaryFolder()
    expect(faultOf(readOnce('/dev/zero', { root }))).toBe(outsideFault)
    expect(faultOf(readOnce('/dev/zero', { root, allowed: ['/dev'], roots: ['/dev'] }))).toBe(
      'ACCESS_DENIED: is not a regular file (a device)',
    )
  })
})

describe('links', () => {
  test('R7 a link to a file inside works, even through a chain', () => {
    const folder = temporaryFolder({ 'src/a.txt': 'content' })
    folder.link('one', 'src/a.txt')
    folder.link('two', 'one')
    folder.link('three', folder.at('two'))
    expect(textOf(readOnce(folder.at('three'), { root: folder.path }))).toBe('content')
  })

  test('R7 a link to a folder inside works, as the last name and in the middle', () => {
    const folder = temporaryFolder({ 'src/a.txt': 'content' })
    folder.link('source', 'src')
    expect(readOnce(folder.at('source'), { root: folder.path })).toMatchObject({ kind: 'directory' })
    expect(textOf(readOnce(folder.at('source/a.txt'), { root: folder.path }))).toBe('content')
  })

  test('R7 no kind of link reads a file outside, and no message reveals its target', () => {
    const folder = temporaryFolder()
    const outside = temporaryFolder({ 'secret.txt': 'SECRET' })
    folder.link('file', outside.at('secret.txt'))
    folder.link('chain', 'file')
    folder.link('folder', outside.path)
    folder.link('up', '../'.repeat(20) + outside.at('secret.txt').slice(1))
    for (const name of ['file', 'chain', 'folder', 'folder/secret.txt', 'up', 'folder/../secret.txt'])
      expect(faultOf(readOnce(`${folder.path}/${name}`, { root: folder.path })), name).toBe(outsideFault)
  })

  test('R7 the error for a path outside is the same whether it exists or not', () => {
    const folder = temporaryFolder()
    const outside = temporaryFolder({ 'secret.txt': 'SECRET' })
    outside.pipe('pipe')
    folder.link('present', outside.at('secret.txt'))
    folder.link('absent', outside.at('nothing'))
    folder.link('folder', outside.path)
    const paths = ['present', 'absent', 'folder/nothing', 'folder/pipe', 'folder/a/b'].map(folder.at)
    for (const path of [...paths, outside.at('nothing'), outside.at('pipe')])
      expect(faultOf(readOnce(path, { root: folder.path })), path).toBe(outsideFault)
  })

  test('R7 for a dangling link, the error says so', () => {
    const folder = temporaryFolder()
    folder.link('dangling', 'nothing')
    folder.link('self', 'self')
    folder.link('ping', 'pong')
    folder.link('pong', 'ping')
    const refusal = (name: string) => faultOf(readOnce(folder.at(name), { root: folder.path }))
    expect(refusal('dangling')).toBe('NOT_FOUND: is a link to something that does not exist')
    expect(refusal('self')).toBe('NOT_FOUND: is a link that leads back to itself')
    expect(refusal('ping')).toBe('NOT_FOUND: is a link that leads back to itself')
  })

  test('R7 a hard link is a file like any other', () => {
    const folder = temporaryFolder({ 'a.txt': 'content' })
    linkSync(folder.at('a.txt'), folder.at('b.txt'))
    expect(textOf(readOnce(folder.at('b.txt'), { root: folder.path }))).toBe('content')
  })
})

describe('paths', () => {
  test('R7 a sibling whose name begins like the root is outside', () => {
    const folder = temporaryFolder({ 'ws/a.txt': 'in', 'ws-evil/a.txt': 'out' })
    expect(textOf(readOnce(folder.at('ws/a.txt'), { root: folder.at('ws') }))).toBe('in')
    expect(faultOf(readOnce(folder.at('ws-evil/a.txt'), { root: folder.at('ws') }))).toBe(outsideFault)
  })

  test('R7 `..` leads out and is refused; a name that merely begins with dots is not', () => {
    const folder = temporaryFolder({ 'ws/..foo': 'dots', 'ws/sub/a.txt': 'a', 'out.txt': 'out' })
    const root = folder.at('ws')
    expect(faultOf(readOnce(`${root}/../out.txt`, { root }))).toBe(outsideFault)
    expect(textOf(readOnce(`${root}/sub/../sub/a.txt`, { root }))).toBe('a')
    expect(textOf(readOnce(`${root}/..foo`, { root }))).toBe('dots')
  })

  test('R7 a missing file is not found, even below a file', () => {
    const folder = temporaryFolder({ 'a.txt': '' })
    expect(faultOf(readOnce(folder.at('nothing'), { root: folder.path }))).toBe('NOT_FOUND: not found')
    expect(faultOf(readOnce(folder.at('a.txt/b'), { root: folder.path }))).toBe('NOT_FOUND: not found')
    expect(faultOf(readOnce(folder.at('x/y/z'), { root: folder.path }))).toBe('NOT_FOUND: not found')
  })

  test('R7 an invalid path gives a fault, never an exception', () => {
    const { path: root } = temporaryFolder()
    for (const path of [`${root}/a\0b`, 'relative.txt', '', `/${'a/'.repeat(100_000)}`])
      expect(faultOf(readOnce(path, { root })), path.slice(0, 20)).toMatch(/^INVALID_PARAM: /)
    expect(faultOf(readOnce(`${root}/${'n'.repeat(300)}`, { root }))).toBe(
      'INVALID_PARAM: has a name that is too long',
    )
  })

  test('R7 long paths to nothing are answered at once, however many names they have', () => {
    const { path: root } = temporaryFolder()
    const make = (names: number) => `${root}/${'a/'.repeat(names)}`
    const ask = (path: string) => {
      for (let count = 0; count < 30; count++)
        expect(faultOf(readOnce(`${path}${count % 10}`.slice(0, 4096), { root }))).toMatch(
          /^(NOT_FOUND|INVALID_PARAM)/,
        )
    }
    // One look at the disk for each name would take thirty times as long, and more.
    expect(growth(make, (4095 - root.length) / 20, ask, constant)).toBeLessThan(constant)
  })

  test('R7 an impossible file name is refused by every operation', async () => {
    const { path: root } = temporaryFolder()
    const workspace = new Workspace({ root })
    const allowed = [root]
    const ways = (path: string) => [
      workspace.read(path, { allowed, ...limits }),
      workspace.list(path, allowed),
      workspace.page(path, { allowed, range: { start: 1, end: 1 }, maxBytes: 1 }),
      workspace.load(path, { allowed, maxBytes: 1 }),
      workspace.replace(path, { allowed, expected: undefined, bytes: Buffer.from('x') }),
    ]
    for (const path of [`${root}/${'n'.repeat(256)}/x`, `${root}/${'a/'.repeat(3000)}`, `${root}/a\0`])
      for (const answer of ways(path)) expect(faultOf(answer)).toMatch(/^INVALID_PARAM: /)
    // Told by its letters alone, so that nothing is said of what lies outside.
    expect(faultOf(readOnce(`/${'n'.repeat(256)}`, { root }))).toBe(
      'INVALID_PARAM: has a name that is too long',
    )
    expect(faultOf(readOnce(`/${'n'.repeat(255)}`, { root }))).toBe(outsideFault)
  })

  test('R7 a missing path is resolved through its links, even with .. after a link', () => {
    const folder = temporaryFolder({ 'outside/dir/x': '', 'ws/a': '' })
    folder.link('ws/out', folder.at('outside/dir'))
    folder.link('ws/lost', folder.at('outside/nowhere'))
    folder.link('ws/circle', 'circle')
    expect(realPathOrPlanned(folder.at('ws/b/c'))).toBe(folder.at('ws/b/c'))
    expect(realPathOrPlanned(folder.at('ws/out/y/z'))).toBe(folder.at('outside/dir/y/z'))
    expect(realPathOrPlanned(`${folder.at('ws')}/out/../y`)).toBe(folder.at('outside/y'))
    expect(realPathOrPlanned(folder.at('ws/lost/y/z'))).toBe(folder.at('outside/nowhere/y/z'))
    expect(realPathOrPlanned(folder.at('ws/a/y'))).toBe(folder.at('ws/a/y'))
    expect(realPathOrPlanned(folder.at('ws/circle/y'))).toBe(folder.at('ws/circle/y'))
    for (const path of ['/out/../y', '/out/../dir/y', '/lost/y'])
      expect(faultOf(readOnce(folder.at('ws') + path, { root: folder.at('ws') }))).toBe(outsideFault)
  })

  test.skipIf(process.getuid?.() === 0)('R7 an unreadable file is refused (root can read everything)', () => {
    const folder = temporaryFolder({ 'a.txt': 'content' })
    chmodSync(folder.at('a.txt'), 0o000)
    expect(faultOf(readOnce(folder.at('a.txt'), { root: folder.path }))).toMatch(/^ACCESS_DENIED: .*denies/)
  })

  test('R7 a refusal is one line', () => {
    const folder = temporaryFolder()
    const reading = readOnce(folder.at('a\nb'), { root: folder.path })
    expect(faultOf(reading)).toBe('NOT_FOUND: not found')
  })
})

describe('the root', () => {
  test('R6 is real, absolute and without a slash at its end', () => {
    const folder = temporaryFolder({ 'ws/a.txt': 'content' })
    folder.link('link', 'ws')
    expect(new Workspace({ root: `${folder.at('link')}/` }).root).toBe(folder.at('ws'))
    expect(new Workspace({ root: '/' }).root).toBe('/')
    expect(textOf(readOnce(folder.at('link/a.txt'), { root: folder.at('link') }))).toBe('content')
  })

  test('R7 must be an existing folder', () => {
    const folder = temporaryFolder({ 'a.txt': '' })
    expect(() => new Workspace({ root: folder.at('nothing') })).toThrow(
      `${folder.at('nothing')} is not an existing folder`,
    )
    expect(() => new Workspace({ root: folder.at('a.txt') })).toThrow('is not an existing folder')
    expect(() => new Workspace({ root: folder.path, roots: [folder.at('nothing')] })).toThrow('nothing')
  })

  test('R7 the whole disk as a root contains every file', () => {
    const folder = temporaryFolder({ 'a.txt': 'content' })
    expect(textOf(readOnce(folder.at('a.txt'), { root: '/' }))).toBe('content')
  })
})

describe('allowed folders', () => {
  test('A8 limit what may be read', () => {
    const folder = temporaryFolder({ 'src/a.txt': 'a', 'b.txt': 'b', 'src-evil/c.txt': 'c' })
    const options = { root: folder.path, allowed: [folder.at('src')] }
    expect(textOf(readOnce(folder.at('src/a.txt'), options))).toBe('a')
    expect(faultOf(readOnce(folder.at('b.txt'), options))).toBe(outsideFault)
    expect(faultOf(readOnce(folder.at('src-evil/c.txt'), options))).toBe(outsideFault)
  })

  test('A8 may be file: URIs, paths relative to the root, single files or links', () => {
    const folder = temporaryFolder({ 'my src/ü.txt': 'content' })
    folder.link('link', 'my src')
    const uri = pathToFileURL(folder.at('my src')).href
    for (const allowed of [uri, 'my src', './my src/', 'my src/ü.txt', 'link'])
      expect(
        textOf(readOnce(folder.at('my src/ü.txt'), { root: folder.path, allowed: [allowed] })),
        allowed,
      ).toBe('content')
  })

  test('A8 an empty list allows nothing, and neither does an entry that names no folder here', () => {
    const folder = temporaryFolder({ 'a.txt': 'content' })
    for (const allowed of [[], ['https://example.org/'], ['file://elsewhere/'], ['missing'], ['a\0b']])
      expect(faultOf(readOnce(folder.at('a.txt'), { root: folder.path, allowed })), String(allowed)).toBe(
        outsideFault,
      )
  })

  test('A8 a session cannot extend a workspace: only a folder that the user opened does', () => {
    const folder = temporaryFolder()
    const other = temporaryFolder({ 'a.txt': 'content' })
    const options = { root: folder.path, allowed: [folder.path, other.path] }
    expect(faultOf(readOnce(other.at('a.txt'), options))).toBe(outsideFault)
    expect(textOf(readOnce(other.at('a.txt'), { ...options, roots: [other.path] }))).toBe('content')
  })

  test('A8 a link in the workspace does not extend it either', () => {
    const folder = temporaryFolder()
    const other = temporaryFolder({ 'a.txt': 'content' })
    folder.link('link', other.path)
    const options = { root: folder.path, allowed: ['link'] }
    expect(faultOf(readOnce(folder.at('link/a.txt'), options))).toBe(outsideFault)
    expect(textOf(readOnce(folder.at('link/a.txt'), { ...options, roots: [other.path] }))).toBe('content')
  })

  test('A8 a folder around the workspace allows the workspace and no more', () => {
    const folder = temporaryFolder({ 'ws/a.txt': 'in', 'b.txt': 'out' })
    const options = { root: folder.at('ws'), allowed: ['/'] }
    expect(textOf(readOnce(folder.at('ws/a.txt'), options))).toBe('in')
    expect(faultOf(readOnce(folder.at('b.txt'), options))).toBe(outsideFault)
  })

  test('A8 a folder opened in addition to the root still has to be allowed', () => {
    const folder = temporaryFolder()
    const other = temporaryFolder({ 'a.txt': 'content' })
    expect(faultOf(readOnce(other.at('a.txt'), { root: folder.path, roots: [other.path] }))).toBe(
      outsideFault,
    )
  })

  test('A8 a folder that is created later is allowed from then on', () => {
    const folder = temporaryFolder()
    const workspace = new Workspace({ root: folder.path })
    const options = { ...limits, allowed: ['later'] }
    expect(faultOf(workspace.read(folder.at('later'), options))).toBe(outsideFault)
    mkdirSync(folder.at('later'))
    expect(workspace.read(folder.at('later'), options)).toEqual({ kind: 'directory', entries: [] })
  })
})

describe('folders', () => {
  test('R5 are listed one level deep, folders first, each group sorted by code unit, links as files', () => {
    const folder = temporaryFolder({
      'b/x': '',
      'B/x': '',
      'a.txt': '',
      'Z.txt': '',
      'é.txt': '',
      '.hidden': '',
    })
    folder.link('link', 'b')
    folder.pipe('pipe')
    const reading = readOnce(folder.path, { root: folder.path })
    const entries = reading.kind === 'directory' ? reading.entries : []
    expect(entries.map(({ name, directory }) => (directory ? `${name}/` : name))).toEqual([
      ...['B/', 'b/'],
      ...['.hidden', 'Z.txt', 'a.txt', 'link', 'pipe', 'é.txt'],
    ])
  })

  test('R7 no descriptor stays open, whatever was asked', () => {
    const folder = temporaryFolder({ 'a.txt': 'a', bin: new Uint8Array([0, 1]) })
    folder.pipe('pipe')
    folder.link('out', '/etc/passwd')
    const openFiles = () => readdirSync('/proc/self/fd').length
    const before = openFiles()
    for (const name of ['a.txt', 'bin', 'pipe', 'out', '.', 'missing'])
      for (let round = 0; round < 100; round++) readOnce(folder.at(name), { root: folder.path })
    // The test runner itself may open a few meanwhile.
    expect(openFiles()).toBeLessThan(before + 50)
  })
})
