import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

type LoadBundle = (
  folder: string,
  name: string,
  compiled?: (file: string, script: Script) => void,
) => Record<string, unknown>

const loader = fileURLToPath(new URL('../bin/load-bundle.cjs', import.meta.url))
const { loadBundle }: { loadBundle: LoadBundle } = createRequire(import.meta.url)(loader)

describe('the bundled command', () => {
  let folder = ''
  beforeEach(() => {
    folder = `${mkdtempSync(join(tmpdir(), 'mutsumi-bundle-'))}/`
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Writes a file, and its cache a moment later, as a build does. */
  function build(name: string, source: string): void {
    writeFileSync(join(folder, name), source)
    let cache = Buffer.alloc(0)
    loadBundle(folder, name, (file, script) => {
      if (file === join(folder, name)) cache = script.createCachedData()
    })
    writeFileSync(join(folder, `${name}.cache`), cache)
  }

  /** In a process of its own: V8 remembers what it compiled in this one. */
  const wasRejected = (name: string) => {
    const program = `require(${JSON.stringify(loader)}).loadBundle(${JSON.stringify(folder)}, '${name}',
      (_, script) => console.log(script.cachedDataRejected))`
    return execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }).trim()
  }

  it('H1 is run from what the build compiled', () => {
    build('b.cjs', 'exports.said = "hello"')
    build('a.cjs', 'exports.said = require("./b.cjs").said')
    expect(wasRejected('a.cjs')).toBe('false\nfalse')
    expect(loadBundle(folder, 'a.cjs')).toEqual({ said: 'hello' })
  })

  it('H1 is compiled anew where its text was changed after its cache, whatever its length', () => {
    build('a.cjs', 'exports.said = "one"')
    const later = Date.now() / 1000 + 60
    writeFileSync(join(folder, 'a.cjs'), 'exports.said = "two"')
    utimesSync(join(folder, 'a.cjs'), later, later)
    expect(loadBundle(folder, 'a.cjs')).toEqual({ said: 'two' })
  })

  it('H1 is compiled where its cache is broken', () => {
    build('a.cjs', 'exports.said = "hello"')
    writeFileSync(join(folder, 'a.cjs.cache'), 'nothing that V8 knows')
    expect(wasRejected('a.cjs')).toBe('true')
    expect(loadBundle(folder, 'a.cjs')).toEqual({ said: 'hello' })
  })

  it('H1 loads a file once, however often it is asked for', () => {
    writeFileSync(join(folder, 'a.cjs'), 'exports.same = require("./b.cjs") === require("./b.cjs")')
    writeFileSync(join(folder, 'b.cjs'), 'exports.b = {}')
    expect(loadBundle(folder, 'a.cjs')).toEqual({ same: true })
  })

  it('H1 comes with caches of what people do most', () => {
    const dist = fileURLToPath(new URL('../dist/', import.meta.url))
    for (const name of ['mutsumi', 'prompt', 'chat-model', 'context'])
      expect(existsSync(join(dist, `${name}.cjs.cache`)), name).toBe(true)
  })
})
