import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
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
const {
  loadBundle,
  sealedCache,
}: { loadBundle: LoadBundle; sealedCache(file: string, script: Script): Buffer } = createRequire(
  import.meta.url,
)(loader)

describe('the bundled command', () => {
  let folder = ''
  beforeEach(() => {
    folder = `${mkdtempSync(join(tmpdir(), 'mutsumi-bundle-'))}/`
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Writes a file and its cache, as a build does. */
  function build(name: string, source: string): void {
    writeFileSync(join(folder, name), source)
    let cache: Buffer = Buffer.alloc(0)
    loadBundle(folder, name, (file, script) => {
      if (file === join(folder, name)) cache = sealedCache(file, script)
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

  it('H1 is run from its cache whichever of the two was unpacked first', () => {
    build('a.cjs', 'exports.said = "hello"')
    utimesSync(join(folder, 'a.cjs.cache'), 0, 0)
    expect(wasRejected('a.cjs')).toBe('false')
  })

  it('H1 is compiled anew where its text is not that of its cache, whatever its length and age', () => {
    build('a.cjs', 'exports.said = "one"')
    writeFileSync(join(folder, 'a.cjs'), 'exports.said = "two"')
    utimesSync(join(folder, 'a.cjs'), 0, 0)
    expect(loadBundle(folder, 'a.cjs')).toEqual({ said: 'two' })
  })

  it('H1 is compiled where its cache is broken, cut or damaged inside, and V8 never sees that', () => {
    build('a.cjs', 'exports.said = "hello"')
    const whole = readFileSync(join(folder, 'a.cjs.cache'))
    const middle = whole.length >> 1
    const damaged = Buffer.from(whole).fill(0, middle, middle + 64)
    for (const bytes of [Buffer.from('nothing that V8 knows'), whole.subarray(0, middle), damaged]) {
      writeFileSync(join(folder, 'a.cjs.cache'), bytes)
      expect(wasRejected('a.cjs')).toBe('undefined')
    }
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
