import { appendFileSync, constants, symlinkSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LogFile, OpenFile } from '../../src/node.js'
import { renameOver } from '../../src/store/atomic-files.js'
import { isFileName } from '../../src/store/file-name.js'
import { refuseLink } from '../../src/store/open-file.js'
import {
  cellsOf,
  created,
  FailingDisk,
  reopened,
  sessionWith,
  temporaryFolder,
} from '../support/store-world.js'

// The differences of Windows, as far as tests can imitate them here.

function failure(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: played`), { code, syscall })
}

/** A handle that appends may not cut its file off. */
function onWindows(openFile: OpenFile = open): OpenFile {
  return async (path, flags) => {
    const file = await openFile(path, flags)
    if ((flags & constants.O_APPEND) === 0) return file
    return new Proxy(file, {
      get(target, name) {
        if (name === 'truncate') return () => Promise.reject(failure('EPERM', 'ftruncate'))
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }) as LogFile
  }
}

describe('a handle that appends and may not cut its file off', () => {
  it('N3 half a written line is cut off by another handle, and the session continues', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, { openFile: onWindows(disk.openFile) })
    disk.shortenNext(20).failNext('write', 'ENOSPC')
    await expect(file.add({ type: 'cell', role: 'user', content: 'lost' })).rejects.toThrow('no room')
    await file.add({ type: 'cell', role: 'user', content: 'saved' })
    await file.close()
    expect(await cellsOf(path)).toEqual(['saved'])
  })

  it('N3 a cut last line is removed when the session is opened', async () => {
    const path = await sessionWith(1)
    appendFileSync(path, '{"type":"cell","id":"x","at":"2026')
    const file = await reopened(path, { openFile: onWindows() })
    expect(file.notes).toMatchObject([{ code: 'torn-line' }])
    await file.add({ type: 'cell', role: 'user', content: 'on' })
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'on'])
  })
})

describe('a rename over a file that another program has open', () => {
  const paths = () => {
    const folder = temporaryFolder()
    const [from, to] = [join(folder, 'from'), join(folder, 'to')]
    writeFileSync(from, 'new')
    writeFileSync(to, 'old')
    return { from, to }
  }

  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'N3 is retried on Windows until the program closes the file: %s',
    async (code) => {
      const { from, to } = paths()
      let tries = 0
      const move: typeof rename = async (one, other) => {
        if (++tries < 4) throw failure(code, 'rename')
        await rename(one, other)
      }
      await renameOver(from, to, { move, platform: 'win32' })
      expect(tries).toBe(4)
    },
  )

  it('N3 fails after a moment on Windows, and at once elsewhere or for another reason', async () => {
    const { from, to } = paths()
    const triesFor = async (code: string, platform: string) => {
      let tries = 0
      const move = async () => {
        tries++
        throw failure(code, 'rename')
      }
      await expect(renameOver(from, to, { move, platform })).rejects.toMatchObject({ code })
      return tries
    }
    expect(await triesFor('EPERM', 'win32')).toBeGreaterThan(3)
    expect(await triesFor('ENOSPC', 'win32')).toBe(1)
    expect(await triesFor('EACCES', 'linux')).toBe(1)
  })
})

it('N2 a name is valid on the system, and never leads to another folder', () => {
  for (const name of ['a\\b', '..\\x', 'C:x', 'a?', 'nul', 'NUL.mtm', 'com1', 'a.', 'a ', 'a\u0007'])
    expect([name, isFileName(name, 'win32'), isFileName(name, 'linux')]).toEqual([name, false, true])
  for (const platform of ['win32', 'linux'])
    expect(['', '.', '..', 'a/b', 'a\0', 'plain name'].map((name) => isFileName(name, platform))).toEqual([
      ...Array.from({ length: 5 }, () => false),
      true,
    ])
})

it('N3 a link is detected on systems without O_NOFOLLOW', async () => {
  const path = await sessionWith(1)
  const linked = join(dirname(path), 'linked.mtm')
  symlinkSync(path, linked)
  expect(() => refuseLink(linked)).toThrow('symbolic link')
  expect(() => refuseLink(path)).not.toThrow()
  expect(() => refuseLink(`${path}.none`)).not.toThrow()
})
