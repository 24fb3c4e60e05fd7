import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { win32 } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.js'
import { safeSearchPath } from '../src/bash/bash-environment.js'
import { findShell } from '../src/bash/shell.js'
import { type Signals, signalTree, treeOptions } from '../src/ground/process-tree.js'
import { contains, isInside } from '../src/workspace/paths.js'
import { splitAtMissing } from '../src/workspace/real-path.js'
import { renameOver } from '../src/workspace/rename-over.js'
import { isRunning } from './support/bash-call.js'

/** A machine of another kind, and what was asked of it. */
function machine(platform: NodeJS.Platform) {
  const asked: unknown[] = []
  const signals: Signals = {
    platform,
    kill: (pid, signal) => asked.push(['kill', pid, signal]) > 0,
    run: (program, args) => asked.push([win32.basename(program), ...args]) > 0,
  }
  return { asked, signals }
}

describe('the end of a program and of everything that it started', () => {
  test('T7 on Windows, which has no process groups, taskkill ends the tree', () => {
    const { asked, signals } = machine('win32')
    for (const signal of ['SIGTERM', 'SIGKILL', 0] as const) signalTree(7, signal, signals)
    expect(asked).toEqual([
      ['taskkill.exe', '/pid', '7', '/t'],
      ['taskkill.exe', '/pid', '7', '/t', '/f'],
      ['kill', 7, 0],
    ])
  })

  test('T7 elsewhere the signal goes to the group, and an empty group is not an error', () => {
    const { asked, signals } = machine('darwin')
    expect(signalTree(7, 'SIGTERM', signals)).toBe(true)
    expect(asked).toEqual([['kill', -7, 'SIGTERM']])
    const gone = () => expect.fail('EPERM')
    expect(signalTree(7, 'SIGKILL', { ...signals, kill: gone })).toBe(false)
  })

  test.skipIf(process.platform === 'win32')('T7 works with a real grandchild', async () => {
    const child = spawn('sh', ['-c', 'sleep 300 & echo $!; wait'], { ...treeOptions })
    const [bytes] = await once(child.stdout, 'data')
    const grandchild = Number(String(bytes))
    expect(isRunning(grandchild)).toBe(true)
    expect(signalTree(child.pid ?? 0, 'SIGKILL')).toBe(true)
    expect(await eventually(() => !isRunning(grandchild))).toBe(true)
  })
})

describe('a rename over a file that another program has open', () => {
  function renaming(platform: NodeJS.Platform, failures: number, code = 'EPERM') {
    const waits: number[] = []
    let left = failures
    const rename = () => {
      if (left-- > 0) throw Object.assign(new Error(code), { code })
    }
    return { waits, renaming: { platform, rename, wait: (ms: number) => void waits.push(ms) } }
  }

  test.for(['EPERM', 'EACCES', 'EBUSY'])('T6 is retried on Windows after %s', (code) => {
    const { waits, renaming: lent } = renaming('win32', 3, code)
    renameOver('a', 'b', lent)
    expect(waits).toEqual([5, 10, 20])
  })

  test('T6 fails on Windows after about a second', () => {
    const { waits, renaming: lent } = renaming('win32', 100)
    expect(() => renameOver('a', 'b', lent)).toThrow('EPERM')
    const whole = waits.reduce((sum, wait) => sum + wait, 0)
    expect(whole).toBeGreaterThan(500)
    expect(whole).toBeLessThan(2000)
  })

  test('T6 is not retried after a final refusal', () => {
    for (const [platform, code] of [
      ['linux', 'EPERM'],
      ['win32', 'ENOSPC'],
    ] as const) {
      const { waits, renaming: lent } = renaming(platform, 1, code)
      expect(() => renameOver('a', 'b', lent)).toThrow(code)
      expect(waits).toEqual([])
    }
  })
})

describe('paths with a drive', () => {
  test('T7 the search path of Windows is split at ; and loses relative folders and the workspace’s own', () => {
    const path = 'C:\\Windows\\system32;bin;C:\\ws\\node_modules\\.bin;C:\\Git\\bin'
    expect(safeSearchPath(path, ['C:/ws'], win32)).toBe('C:\\Windows\\system32;C:\\Git\\bin')
  })

  test('R2 a whole drive contains what is on it, and nothing else', () => {
    expect(isInside('C:/', 'C:/ws/a.ts')).toBe(true)
    expect(contains('C:/', 'C:/ws/a.ts')).toBe(true)
    expect(contains('C:/', 'D:/ws/a.ts')).toBe(false)
    expect(isInside('C:/ws', 'C:/ws-evil/a')).toBe(false)
  })

  test('R2 the missing part of a path is found with either separator', () => {
    const there = new Set(['C:/', 'C:/ws', 'C:/ws/src'])
    const disk = { isThere: (path: string) => there.has(path), parse: win32.parse, sep: win32.sep }
    for (const path of ['C:/ws/src/new/a.ts', 'C:\\ws\\src\\new\\a.ts'])
      expect(splitAtMissing(path.replace('C:\\', 'C:/'), disk)).toEqual({
        found: 'C:/ws/src',
        missing: 'new/a.ts',
      })
  })
})

describe('the shell', () => {
  test('T7 is bash, otherwise sh; on Windows Git’s bash, or none', () => {
    const only =
      (...paths: string[]) =>
      (path: string) =>
        paths.includes(path)
    expect(findShell('linux', only('/usr/bin/bash', '/bin/sh'))).toBe('/usr/bin/bash')
    expect(findShell('linux', only('/bin/sh'))).toBe('/bin/sh')
    const git = 'C:\\Program Files\\Git\\bin\\bash.exe'
    expect(findShell('win32', only(git, '/bin/sh'))).toBe(git)
    expect(findShell('win32', only('C:\\Windows\\System32\\bash.exe'))).toBeUndefined()
  })
})
