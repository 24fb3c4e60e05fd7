import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const loader = fileURLToPath(new URL('../../bin/load-bundle.cjs', import.meta.url))
const cacheName = (name: string) => `${name}.${process.version}-${process.arch}.cache`

describe('the bundled command', () => {
  let folder = ''
  beforeEach(() => {
    folder = `${mkdtempSync(join(tmpdir(), 'mutsumi-bundle-'))}/`
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Writes a file of the bundle: its chunks by name, and where chunks in other files are. */
  function write(name: string, chunks: Record<string, string>, files: Record<string, string> = {}): void {
    const functions = Object.entries(chunks).map(
      ([chunk, code]) => `${JSON.stringify(chunk)}(exports, require, module) { ${code} }`,
    )
    writeFileSync(join(folder, name), `({files:${JSON.stringify(files)},chunks:{${functions}}})`)
  }

  /** In a process of its own, as the command runs: what it says, and of which files V8 took the cache. */
  function run({ start = 'a.cjs', env = {}, before = '' } = {}) {
    const program = `
      const vm = require('node:vm')
      const files = {}
      vm.Script = class extends vm.Script {
        constructor(text, options) {
          super(text, options)
          files[options.filename.split('/').pop()] = this.cachedDataRejected === false
        }
      }
      ${before}
      const { said } = require(${JSON.stringify(loader)}).loadBundle(${JSON.stringify(folder)}, '${start}')
      process.once('exit', () => console.log(JSON.stringify({ said, fromCache: files })))`
    return JSON.parse(
      execFileSync(process.execPath, ['-e', program], { env: { ...process.env, ...env }, encoding: 'utf8' }),
    )
  }

  const names = () => readdirSync(folder).toSorted()
  const inode = (name: string) => statSync(join(folder, cacheName(name))).ino

  it('H1 also keeps it while a long run is idle, and not again if nothing new has run', () => {
    write('a.cjs', {
      'a.cjs': `process.emit("mutsumi-rest"); exports.said = require("node:fs").readdirSync(${JSON.stringify(folder)})`,
    })
    expect(run().said).toContain(cacheName('a.cjs'))
    const first = inode('a.cjs')
    run()
    expect(inode('a.cjs')).toBe(first)
  })

  it('H1 keeps V8’s compiled code, and the next run uses it', () => {
    write('b.cjs', { 'b.cjs': 'exports.said = "hello"' })
    write('a.cjs', { 'a.cjs': 'exports.said = require("./b.cjs").said' })
    expect(run()).toEqual({ said: 'hello', fromCache: { 'a.cjs': false, 'b.cjs': false } })
    expect(names()).toEqual(['a.cjs', cacheName('a.cjs'), 'b.cjs', cacheName('b.cjs')])
    expect(run()).toEqual({ said: 'hello', fromCache: { 'a.cjs': true, 'b.cjs': true } })
  })

  it('H1 writes its caches again after a run of a new kind, and only then', () => {
    write(
      'a.cjs',
      {
        'a.cjs': 'exports.said = process.env.KIND ? require("./more.cjs").said : "less"',
        'more.cjs': 'exports.said = "more"',
      },
      { 'more.cjs': 'a.cjs' },
    )
    run()
    const first = inode('a.cjs')
    run()
    expect(inode('a.cjs')).toBe(first)
    expect(run({ env: { KIND: 'new' } }).said).toBe('more')
    const second = inode('a.cjs')
    expect(second).not.toBe(first)
    run({ env: { KIND: 'new' } })
    run()
    expect(inode('a.cjs')).toBe(second)
  })

  it('H1 runs from its cache, whichever of the two files was unpacked first', () => {
    write('a.cjs', { 'a.cjs': 'exports.said = "hello"' })
    run()
    utimesSync(join(folder, cacheName('a.cjs')), 0, 0)
    expect(run().fromCache).toEqual({ 'a.cjs': true })
  })

  it('H1 is compiled again if its text does not match its cache, whatever its length and age', () => {
    write('a.cjs', { 'a.cjs': 'exports.said = "one"' })
    run()
    write('a.cjs', { 'a.cjs': 'exports.said = "two"' })
    utimesSync(join(folder, 'a.cjs'), 0, 0)
    expect(run()).toEqual({ said: 'two', fromCache: { 'a.cjs': false } })
  })

  it('H1 is compiled if its cache is broken, cut or damaged; V8 never reads that cache, and a new one is written', () => {
    write('a.cjs', { 'a.cjs': 'exports.said = "hello"' })
    run()
    const path = join(folder, cacheName('a.cjs'))
    const whole = readFileSync(path)
    const middle = whole.length >> 1
    const damaged = Buffer.from(whole).fill(0, middle, middle + 64)
    const cut = whole.subarray(0, middle)
    for (const bytes of [Buffer.from('nothing that V8 knows'), Buffer.alloc(0), cut, damaged]) {
      writeFileSync(path, bytes)
      expect(run()).toEqual({ said: 'hello', fromCache: { 'a.cjs': false } })
      expect(run()).toEqual({ said: 'hello', fromCache: { 'a.cjs': true } })
    }
  })

  it('H1 runs a chunk once, however often it is required, and only if it is', () => {
    write('a.cjs', {
      'a.cjs': 'exports.said = [require("./b.cjs") === require("./b.cjs"), globalThis.unwanted]',
      'c.cjs': 'globalThis.unwanted = true',
    })
    write('b.cjs', { 'b.cjs': 'exports.b = {}' })
    expect(run().said).toEqual([true, null])
  })

  it('H1 writes nothing if the code belongs to another user', () => {
    write('a.cjs', { 'a.cjs': 'exports.said = "hello"' })
    // Root may write everywhere, but leaves what belongs to others alone.
    if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534)
    else chmodSync(folder, 0o555)
    expect(run().said).toBe('hello')
    expect(names()).toEqual(['a.cjs'])
    chmodSync(folder, 0o755)
  })

  it('H1 nobody else can write a cache, whatever the umask', () => {
    write('a.cjs', { 'a.cjs': 'exports.said = "hello"' })
    run({ before: 'process.umask(0)' })
    expect(statSync(join(folder, cacheName('a.cjs'))).mode & 0o022).toBe(0)
  })

  it('H1 neither writes nor reads caches with NODE_DISABLE_COMPILE_CACHE', () => {
    write('a.cjs', { 'a.cjs': 'exports.said = "hello"' })
    const env = { NODE_DISABLE_COMPILE_CACHE: '1' }
    run({ env })
    expect(names()).toEqual(['a.cjs'])
    run()
    expect(run({ env })).toEqual({ said: 'hello', fromCache: { 'a.cjs': false } })
  })

  it('H1 is built with caches for the most common runs', () => {
    const dist = fileURLToPath(new URL('../../dist/', import.meta.url))
    for (const name of ['mutsumi.cjs', 'common.cjs', 'context.cjs', 'prompt.cjs', 'tools.cjs'])
      expect(existsSync(join(dist, cacheName(name))), name).toBe(true)
  })
})
