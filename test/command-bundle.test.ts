import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

interface Bundle {
  readonly chunks: ReadonlyMap<string, { readonly moduleIds: readonly string[] }>
  /** Which chunks are in which file. */
  readonly files: ReadonlyMap<string, readonly string[]>
}

let bundle: Bundle
let texts: ReadonlyMap<string, string>

beforeAll(async () => {
  const folder = `${await mkdtemp(join(tmpdir(), 'mutsumi-command-'))}/`
  try {
    const { bundleCommand } = await import(new URL('../scripts/bundle-command.mjs', import.meta.url).href)
    bundle = await bundleCommand(folder)
    texts = new Map([...bundle.files.keys()].map((file) => [file, readFileSync(folder + file, 'latin1')]))
  } finally {
    await rm(folder, { recursive: true })
  }
})

const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index)

test('H1 the bundled command has every module exactly once', () => {
  const modules = [...bundle.chunks.values()].flatMap(({ moduleIds }) => moduleIds)
  expect(modules.length).toBeGreaterThan(500)
  expect(twice(modules)).toEqual([])
  expect(twice([...bundle.files.values()].flat())).toEqual([])
  expect([...bundle.files.values()].flat().toSorted()).toEqual([...bundle.chunks.keys()].toSorted())
})

test('H1 the bundled command has every library in one version, and not as CommonJS and as ES modules', () => {
  const modules = [...bundle.chunks.values()].flatMap(({ moduleIds }) => moduleIds)
  const packageFolder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/
  const folders = new Set(modules.flatMap((id) => packageFolder.exec(id)?.[0] ?? []))
  expect(twice([...folders].map((folder) => folder.replace(/^.*node_modules[\\/]/, '')))).toEqual([])
  const forms = modules.map((id) => id.replace(/[\\/](?:esm|cjs|libesm|libcjs)[\\/]|\.[cm]?js$/g, '/'))
  expect(twice(forms)).toEqual([])
})

test('H1 each file of the bundled command is text of one byte a character, which V8 reads fastest', () => {
  for (const [file, text] of texts) expect([file, /[^\0-\x7f]/.test(text)]).toEqual([file, false])
})

test('H1 a start without a command loads a small part of the bundle', () => {
  const start = texts.get('mutsumi.cjs')?.length ?? 0
  const all = [...texts.values()].reduce((sum, text) => sum + text.length, 0)
  expect(start).toBeGreaterThan(0)
  expect(start / all).toBeLessThan(0.05)
})
