import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../../test/support/folder.js'
import { CopyFolder, copyFolderOf } from '../../src/restore/copy-folder.js'
import { doubtOfState, userStateFolder } from '../../src/user/user-config.js'
import { listedHome } from '../../src/user/user-home.js'
import { changeLimit } from '../../src/workspace/load-file.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const contents = (...texts: readonly string[]) =>
  new Map(texts.map((text) => [sha256(text), Buffer.from(text)]))
const session = '01234567-89ab-cdef-0123-456789abcdef'

describe('the folder of copies for undo', () => {
  it('Z4 keeps each content once, in files that only the user may read', async () => {
    const path = copyFolderOf(session, makeFolder())
    const folder = new CopyFolder(path)
    expect(existsSync(path)).toBe(false)
    expect(await folder.keep(contents('one', 'two'))).toBeUndefined()
    expect(await new CopyFolder(path).keep(contents('two'))).toBeUndefined()
    expect(readdirSync(path).sort()).toEqual([sha256('one'), sha256('two')].sort())
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(path, sha256('one'))).mode & 0o777).toBe(0o600)
    expect([folder.has(sha256('one')), folder.has(sha256('three'))]).toEqual([true, false])
    expect(new CopyFolder(path).read(sha256('two'))?.toString()).toBe('two')
  })

  it('Z4 a copy that was changed is not given out, and is written again when it is needed', async () => {
    const path = copyFolderOf(session, makeFolder())
    await new CopyFolder(path).keep(contents('one'))
    writeFileSync(join(path, sha256('one')), 'evil')
    const folder = new CopyFolder(path)
    expect(folder.read(sha256('one'))).toBeUndefined()
    await folder.keep(contents('one'))
    expect(folder.read(sha256('one'))?.toString()).toBe('one')
  })

  it.skipIf(process.platform === 'win32')(
    'Z4 a link, a pipe, a folder or a huge file in place of a copy is not read, and does not block',
    async () => {
      const path = copyFolderOf(session, makeFolder())
      mkdirSync(path, { recursive: true })
      const place = (text: string) => join(path, sha256(text))
      symlinkSync('/etc/passwd', place('link'))
      execFileSync('mkfifo', [place('pipe')])
      mkdirSync(place('folder'))
      writeFileSync(place('huge'), '')
      truncateSync(place('huge'), changeLimit + 1)
      const folder = new CopyFolder(path)
      for (const kind of ['link', 'pipe', 'folder', 'huge', '../x'])
        expect([kind, folder.read(kind === '../x' ? kind : sha256(kind))]).toEqual([kind, undefined])
      mkdirSync(join(path, 'unfinished'))
      execFileSync('mkfifo', [join(path, 'unfinished', 'a.json')])
      expect(folder.begun()).toEqual([])
    },
  )

  it('Z4 the id of a hostile session leads to no other folder', () => {
    const state = makeFolder()
    const undo = join(state, 'undo')
    expect(copyFolderOf(session, state)).toBe(join(undo, session))
    for (const id of [
      '',
      '.',
      '..',
      '../../x',
      '/etc',
      'a/b',
      'A'.repeat(5000),
      `${session}/..`,
      session.toUpperCase(),
    ])
      expect(copyFolderOf(id, state)).toBe(join(undo, `id-${sha256(id)}`))
  })

  it('Z4 a folder that cannot be written is a problem in words, and leaves nothing half', async () => {
    const state = makeFolder({ undo: 'a file is in the way' })
    const folder = new CopyFolder(copyFolderOf(session, state))
    expect(await folder.keep(contents('one'))).toContain('could not be written: ')
    expect(await folder.begin('a-1', 'text')).toContain('could not be written: ')
    expect(folder.has(sha256('one'))).toBe(false)
    expect(readFileSync(join(state, 'undo'), 'utf8')).toBe('a file is in the way')
  })

  it('Z8 a note stays until its undo has ended', async () => {
    const path = copyFolderOf(session, makeFolder())
    const folder = new CopyFolder(path)
    expect(await folder.begin('abc-1', 'text')).toBeUndefined()
    expect(new CopyFolder(path).begun()).toEqual(['text'])
    folder.end('abc-1')
    expect(folder.begun()).toEqual([])
    expect(readdirSync(path)).toEqual([])
  })

  it.skipIf(process.platform === 'win32')(
    'Z4 a folder that others could read is closed to them',
    async () => {
      const path = copyFolderOf(session, makeFolder())
      mkdirSync(path, { recursive: true })
      chmodSync(path, 0o755)
      await new CopyFolder(path).keep(contents('one'))
      expect(statSync(path).mode & 0o777).toBe(0o700)
    },
  )

  it('Z4 a state folder in an opened folder is in doubt', () => {
    const [root, other, project] = [makeFolder(), makeFolder(), makeFolder({ '.git/HEAD': '' })]
    const chosen = (folder: string) => ({ MUTSUMI_STATE_DIR: folder })
    expect(doubtOfState([root], join(other, 'state'), chosen(other))).toBeUndefined()
    expect(doubtOfState([root], join(root, 'state'), chosen(root))).toBe('in-workspace')
    expect(doubtOfState([root, other], join(other, 'state'), chosen(other))).toBe('in-workspace')
    // The home folder as a workspace: Read and Grep could show what is in it.
    expect(doubtOfState([listedHome()], userStateFolder({}, listedHome()), {})).toBe('in-workspace')
    mkdirSync(join(project, 'part'))
    expect(doubtOfState([join(project, 'part')], join(project, 'home/state'), {})).toBe('in-project')
    rmSync(project, { recursive: true })
  })
})
