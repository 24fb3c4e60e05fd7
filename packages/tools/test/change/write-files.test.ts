import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { linear, timesAsLongLater } from '../../../../test/support/growth.js'
import { Workspace } from '../../src/index.js'
import { type Disk, replaceFile } from '../../src/workspace/replace-file.js'
import { contentOf, errorOf, sessionIn } from '../support/editing.js'
import { faultOf } from '../support/reading.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const outsideFault = 'ACCESS_DENIED: is outside the folders this session may write'

/** Writes whatever is there, as a tool does that has just read it. */
function put(folder: TemporaryFolder, name: string, text: string, allowed = [folder.path]) {
  const workspace = new Workspace({ root: folder.path })
  const loaded = workspace.load(folder.at(name), { allowed, maxBytes: 1_000_000 })
  const expected = loaded.kind === 'loaded' ? loaded : undefined
  return workspace.replace(folder.at(name), { allowed, expected, bytes: Buffer.from(text) })
}

describe('places', () => {
  test('T6 a link that stays inside: its target is written, the link stays', () => {
    const folder = temporaryFolder({ 'real/a.txt': 'old' })
    folder.link('link', 'real/a.txt')
    folder.link('chain', 'link')
    folder.link('folder', 'real')
    for (const name of ['link', 'chain', 'folder/a.txt']) {
      expect(put(folder, name, name)).toMatchObject({ kind: 'written', realPath: folder.at('real/a.txt') })
      expect(contentOf(folder, 'real/a.txt')).toBe(name)
    }
    expect(lstatSync(folder.at('link')).isSymbolicLink()).toBe(true)
    expect(readdirSync(folder.at('real'))).toEqual(['a.txt'])
  })

  test('T6 a dangling link inside: its target is created', () => {
    const folder = temporaryFolder()
    folder.link('link', 'sub/new.txt')
    expect(put(folder, 'link', 'x')).toMatchObject({ kind: 'written', realPath: folder.at('sub/new.txt') })
    expect(contentOf(folder, 'sub/new.txt')).toBe('x')
  })

  test('T6 no link leads a write outside, whether its target exists or not', () => {
    const outside = temporaryFolder({ 'a.txt': 'theirs' })
    const folder = temporaryFolder({ 'a.txt': 'ours' })
    folder.link('file', outside.at('a.txt'))
    folder.link('dangling', outside.at('new.txt'))
    folder.link('folder', outside.path)
    folder.link('up', '..')
    folder.link('chain', 'folder')
    for (const name of [
      'file',
      'dangling',
      'folder/a.txt',
      'folder/new.txt',
      'chain/deep/new.txt',
      'up/x',
      '../x',
    ])
      expect(faultOf(put(folder, name, 'x')), name).toBe(outsideFault)
    expect(readdirSync(outside.path)).toEqual(['a.txt'])
    expect(contentOf(outside, 'a.txt')).toBe('theirs')
  })

  test('T6 a sibling with the same beginning is outside, a name with two dots is inside', () => {
    const folder = temporaryFolder({ 'ws/a': '', 'ws-evil/a': '' })
    const allowed = [folder.at('ws')]
    expect(faultOf(put(folder, 'ws-evil/b', 'x', allowed))).toBe(outsideFault)
    expect(put(folder, 'ws/..foo', 'x', allowed)).toMatchObject({ kind: 'written' })
  })

  test('T6 if a single file is allowed, it can be written, and the files beside it cannot', () => {
    const folder = temporaryFolder({ 'a.txt': '1', 'b.txt': '2' })
    const allowed = [folder.at('a.txt')]
    expect(put(folder, 'a.txt', 'x', allowed)).toMatchObject({ kind: 'written' })
    expect(faultOf(put(folder, 'b.txt', 'x', allowed))).toBe(outsideFault)
    expect(faultOf(put(folder, 'new/c.txt', 'x', allowed))).toBe(outsideFault)
    expect(readdirSync(folder.path).sort()).toEqual(['a.txt', 'b.txt'])
  })

  test('T6 a file that is not regular is refused', () => {
    const folder = temporaryFolder({ 'sub/a': '' })
    folder.pipe('pipe')
    folder.link('one', 'two')
    folder.link('two', 'one')
    expect(faultOf(put(folder, 'sub', 'x'))).toBe('IS_DIRECTORY: is a directory')
    expect(faultOf(put(folder, 'pipe', 'x'))).toBe('ACCESS_DENIED: is not a regular file (a pipe)')
    expect(faultOf(put(folder, 'one', 'x'))).toMatch(/^CONFLICT: is part of a cycle of links/)
    expect(faultOf(put(folder, 'sub/a/b/c', 'x'))).toMatch(/^INVALID_PARAM: is below/)
    expect(faultOf(put(folder, 'n'.repeat(256), 'x'))).toMatch(/^INVALID_PARAM: has a name that is too long/)
    const workspace = new Workspace({ root: folder.path, roots: ['/dev'] })
    const request = { allowed: ['/dev'], expected: undefined, bytes: Buffer.from('x') }
    expect(faultOf(workspace.replace('/dev/null', request))).toMatch(/a device/)
    expect(faultOf(workspace.replace('relative', request))).toMatch(/^INVALID_PARAM/)
  })

  test('T6 if a file has two names, only the given one is written', () => {
    const outside = temporaryFolder({ 'a.txt': 'theirs' })
    const folder = temporaryFolder()
    linkSync(outside.at('a.txt'), folder.at('a.txt'))
    expect(put(folder, 'a.txt', 'ours')).toMatchObject({ kind: 'written' })
    expect(contentOf(folder, 'a.txt')).toBe('ours')
    expect(contentOf(outside, 'a.txt')).toBe('theirs')
  })

  test('T6 names with a newline, a space or a leading dash are names', async () => {
    const folder = temporaryFolder()
    const session = sessionIn(folder)
    for (const name of ['a\nb/c\nd', ' ', '-rf', 'ü🙂', '.hidden', 'n'.repeat(255)]) {
      expect(errorOf(await session.write(name, 'x')), name).toBe('success')
      expect(errorOf(await session.edit(name, 'x', 'y')), name).toBe('success')
      expect(contentOf(folder, name)).toBe('y')
    }
    const { text } = await session.edit('a\nb/c\nd', 'y', 'z')
    expect(text.split('\n').slice(0, 2)).toEqual([
      'Changed a\\u000ab/c\\u000ad: 1 replacement.',
      '--- a/a\\u000ab/c\\u000ad',
    ])
  })
})

describe('what a write keeps', () => {
  test('T6 its mode, whatever it is', () => {
    const folder = temporaryFolder({ 'a.sh': 'old' })
    for (const mode of [0o755, 0o600, 0o664, 0o4750]) {
      chmodSync(folder.at('a.sh'), mode)
      expect(put(folder, 'a.sh', `mode ${mode}`)).toMatchObject({ kind: 'written' })
      expect(statSync(folder.at('a.sh')).mode & 0o7777).toBe(mode)
    }
  })

  test.runIf(isRoot)('T6 its owner, if it may be set', () => {
    const folder = temporaryFolder({ 'a.txt': 'old' })
    chownSync(folder.at('a.txt'), 1234, 2345)
    put(folder, 'a.txt', 'new')
    expect(statSync(folder.at('a.txt'))).toMatchObject({ uid: 1234, gid: 2345 })
  })

  test('T6 a new file has the mode that any program would give it', () => {
    const folder = temporaryFolder()
    writeFileSync(folder.at('plain'), '')
    put(folder, 'sub/new', '')
    expect(statSync(folder.at('sub/new')).mode).toBe(statSync(folder.at('plain')).mode)
  })

  test.for([
    ['UTF-8 with a mark', Buffer.from('\uFEFFeins\r\nzwölf\n'), Buffer.from('\uFEFFeins\r\nDREI\n')],
    [
      'UTF-16 LE',
      Buffer.from('\uFEFFeins\r\nzwölf\n', 'utf16le'),
      Buffer.from('\uFEFFeins\r\nDREI\n', 'utf16le'),
    ],
    [
      'UTF-16 BE',
      Buffer.from('\uFEFFeins\r\nzwölf\n', 'utf16le').swap16(),
      Buffer.from('\uFEFFeins\r\nDREI\n', 'utf16le').swap16(),
    ],
  ] as const)('T6 its encoding and line endings, in Edit and in Write: %s', async ([, before, after]) => {
    const folder = temporaryFolder({ 'edit.txt': before, 'write.txt': before })
    const session = sessionIn(folder)
    await session.read('edit.txt')
    await session.read('write.txt')
    expect(errorOf(await session.edit('edit.txt', 'eins\nzwölf', 'eins\nDREI'))).toBe('success')
    expect(errorOf(await session.write('write.txt', 'eins\nDREI\n'))).toBe('success')
    expect(readFileSync(folder.at('edit.txt'))).toEqual(after)
    expect(readFileSync(folder.at('write.txt'))).toEqual(after)
  })

  test('T6 an edit that would lose invalid bytes is refused', async () => {
    const bytes = Buffer.from([0x61, 0x0a, 0xff, 0x0a])
    const folder = temporaryFolder({ 'latin.txt': bytes })
    const session = sessionIn(folder)
    await session.read('latin.txt')
    expect(errorOf(await session.edit('latin.txt', 'a', 'b'))).toMatch(
      /^INVALID_PARAM .*invalid in its encoding/,
    )
    expect(readFileSync(folder.at('latin.txt'))).toEqual(bytes)
    expect(errorOf(await session.write('latin.txt', 'b\n'))).toBe('success')
  })
})

describe('faults', () => {
  const failing = (code: string, part: Partial<Disk>): Disk => ({
    write: writeSync,
    sync: () => {
      throw Object.assign(new Error(code), { code })
    },
    ...part,
  })

  function putOn(disk: Disk, folder: TemporaryFolder, expected: string | undefined, name = 'a.txt') {
    return replaceFile(folder.at(name), {
      admits: (path) => path.startsWith(folder.path),
      expected: expected === undefined ? undefined : Buffer.from(expected),
      bytes: Buffer.from('new content'),
      disk,
    })
  }

  test.for([
    ['EIO', 'the disk failed (EIO)'],
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the disk quota is used up'],
  ])('T6 %s while writing: the old file is whole, and no temporary file is left', ([code = '', reason]) => {
    const folder = temporaryFolder({ 'a.txt': 'old' })
    let writes = 0
    const write: Disk['write'] = (fd, bytes, offset) => {
      if (writes++ === 0) return writeSync(fd, bytes, offset, 3)
      throw Object.assign(new Error(code), { code })
    }
    const message = `EXECUTION_ERROR: could not be written: ${reason}; the file is unchanged`
    for (const disk of [failing(code, { write }), failing(code, {})]) {
      expect(faultOf(putOn(disk, folder, 'old'))).toBe(message)
      expect(faultOf(putOn(disk, folder, undefined, 'new.txt'))).toBe(message)
    }
    expect(contentOf(folder, 'a.txt')).toBe('old')
    expect(readdirSync(folder.path)).toEqual(['a.txt'])
  })

  test('T6 folders made for a file that could not be written are removed, existing ones stay', () => {
    const folder = temporaryFolder({ 'there/x': '' })
    const full = failing('ENOSPC', {})
    expect(faultOf(putOn(full, folder, undefined, 'made/for/it/a.txt'))).toMatch(/the disk is full/)
    expect(faultOf(putOn(full, folder, undefined, 'there/made/a.txt'))).toMatch(/the disk is full/)
    expect(readdirSync(folder.path, { recursive: true }).sort()).toEqual(['there', 'there/x'])
    const meanwhile = failing('ENOSPC', {
      write: () => {
        folder.write({ 'made/theirs': '' })
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      },
    })
    expect(faultOf(putOn(meanwhile, folder, undefined, 'made/for/a.txt'))).toMatch(/the disk is full/)
    expect(readdirSync(folder.at('made'))).toEqual(['theirs'])
    mkdirSync(folder.at('empty'))
    putOn(full, folder, undefined, 'empty/a.txt')
    expect(existsSync(folder.at('empty'))).toBe(true)
  })

  test.runIf(isRoot)('T6 a read-only file is not replaced either', () => {
    const folder = temporaryFolder({ 'a.txt': 'old', 'mine.txt': 'old' })
    for (const name of ['', 'a.txt', 'mine.txt']) chownSync(folder.at(name), nobody, nobody)
    chmodSync(folder.at('a.txt'), 0o444)
    as(nobody, () => {
      expect(faultOf(put(folder, 'a.txt', 'new'))).toBe('ACCESS_DENIED: cannot be written: permission denied')
      expect(put(folder, 'mine.txt', 'new')).toMatchObject({ kind: 'written' })
    })
    expect(contentOf(folder, 'a.txt')).toBe('old')
  })

  test('T6 on a disk that accepts a few bytes at a time, all bytes are written', () => {
    const folder = temporaryFolder({ 'a.txt': 'old' })
    const write: Disk['write'] = (fd, bytes, offset) => writeSync(fd, bytes, offset, 1)
    expect(putOn({ write, sync: () => undefined }, folder, 'old')).toMatchObject({
      kind: 'written',
      size: 11,
    })
    expect(contentOf(folder, 'a.txt')).toBe('new content')
  })

  test('T6 another program’s change during the write is a conflict, and stays', () => {
    const folder = temporaryFolder({ 'a.txt': 'old' })
    const during = (change: () => void): Disk => ({ write: writeSync, sync: change })
    const conflict = /^CONFLICT: was changed while it was being written/
    const write = (name: string, text: string) => () => writeFileSync(folder.at(name), text)
    expect(faultOf(putOn(during(write('a.txt', 'OLD')), folder, 'old'))).toMatch(conflict)
    expect(contentOf(folder, 'a.txt')).toBe('OLD')
    expect(faultOf(putOn(during(write('b.txt', '')), folder, undefined, 'b.txt'))).toMatch(conflict)
    expect(contentOf(folder, 'b.txt')).toBe('')
    const swap = () => {
      execFileSync('mv', [folder.at('a.txt'), folder.at('moved')])
      symlinkSync('moved', folder.at('a.txt'))
    }
    expect(faultOf(putOn(during(swap), folder, 'OLD'))).toMatch(conflict)
    expect(contentOf(folder, 'moved')).toBe('OLD')
    expect(readdirSync(folder.path).sort()).toEqual(['a.txt', 'b.txt', 'moved'])
  })

  test('T6 a folder that is moved during the write is a conflict', () => {
    const outside = temporaryFolder()
    const folder = temporaryFolder({ 'sub/a.txt': 'old' })
    const sync = () => void execFileSync('mv', [folder.at('sub'), outside.at('sub')])
    expect(faultOf(putOn({ write: writeSync, sync }, folder, 'old', 'sub/a.txt'))).toMatch(/^CONFLICT/)
    expect(readdirSync(outside.at('sub'))).toEqual(['a.txt'])
    expect(contentOf(outside, 'sub/a.txt')).toBe('old')
  })

  test('T6 if a folder is replaced by a link meanwhile, nothing is written through the link and nothing is left', () => {
    const outside = temporaryFolder({ 'a.txt': 'theirs' })
    const folder = temporaryFolder({ 'sub/a.txt': 'old' })
    const sync = () => {
      execFileSync('mv', [folder.at('sub'), folder.at('kept')])
      symlinkSync(outside.path, folder.at('sub'))
    }
    expect(faultOf(putOn({ write: writeSync, sync }, folder, 'old', 'sub/a.txt'))).toMatch(/^CONFLICT/)
    expect(readdirSync(outside.path)).toEqual(['a.txt'])
    expect(contentOf(outside, 'a.txt')).toBe('theirs')
    expect(readdirSync(folder.at('kept'))).toEqual(['a.txt'])
    expect(contentOf(folder, 'kept/a.txt')).toBe('old')
  })

  test.runIf(canMount())('T6 on a full disk the old file stays whole', async () => {
    const folder = temporaryFolder()
    mountSmall(folder.path)
    const session = sessionIn(folder)
    await session.write('a.txt', 'old\n')
    expect(errorOf(await session.write('a.txt', 'x'.repeat(200_000)))).toBe(
      'EXECUTION_ERROR a.txt: could not be written: the disk is full; the file is unchanged',
    )
    expect(errorOf(await session.write('b.txt', 'x'.repeat(200_000)))).toMatch(/the disk is full/)
    expect(contentOf(folder, 'a.txt')).toBe('old\n')
    expect(readdirSync(folder.path)).toEqual(['a.txt'])
    expect(errorOf(await session.edit('a.txt', 'old', 'new'))).toBe('success')
  })
})

test('T6 a megabyte is edited in linear time', async () => {
  const editIn = async (lines: number) => {
    const session = sessionIn(temporaryFolder())
    await session.write('b.txt', `${`${'0123456789abcdef'.repeat(4)}\n`.repeat(lines)}end\n`)
    return async () => {
      expect(errorOf(await session.edit('b.txt', 'end', 'END'))).toBe('success')
      expect(errorOf(await session.edit('b.txt', 'END', 'end'))).toBe('success')
    }
  }
  const times = await timesAsLongLater(await editIn(30_000), await editIn(1000))
  expect(times).toBeLessThan(linear)
})

function as(user: number, act: () => void): void {
  process.seteuid?.(user)
  try {
    act()
  } finally {
    process.seteuid?.(0)
  }
}

function canMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'mutsumi-mount-'))
  try {
    mountTmpfs(probe)
    execFileSync('umount', [probe])
    return true
  } catch {
    // Not root, or in a container that forbids it: the injected faults above have to do.
    return false
  } finally {
    rmSync(probe, { recursive: true })
  }
}

function mountSmall(path: string): void {
  mountTmpfs(path)
  onTestFinished(() => void execFileSync('umount', [path]))
}

function mountTmpfs(path: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path], { stdio: 'ignore' })
}
