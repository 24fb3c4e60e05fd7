import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseGitIndex } from '../../src/tracking/git-index.js'
import { GitObjects } from '../../src/tracking/git-objects.js'

// Written by git: the same files in an index of each form, and two versions of a text in packs, one as its difference
// to the other.
const stored = (name: string) => fileURLToPath(new URL(`stored/${name}`, import.meta.url))

describe('git’s index', () => {
  it.for(['index-2', 'index-4'])('H1 %s names the regular files and their blobs', (name) => {
    const entries = parseGitIndex(readFileSync(stored(name)))
    expect([...(entries ?? [])].map(([path, { blob, size }]) => [path, blob.slice(0, 7), size])).toEqual([
      ['a.txt', '55896e5', 649],
      ['src/c.ts', '00750ed', 2],
      ['src/deep/b.ts', '0cfbf08', 2],
      ['src/deep/é.ts', 'd00491f', 2],
    ])
  })

  it('H1 a split, damaged or cut index is not read, and no bytes make it throw', () => {
    const bytes = readFileSync(stored('index-2'))
    expect(parseGitIndex(readFileSync(stored('index-split')))).toBeUndefined()
    for (let length = 0; length < bytes.length; length += 7)
      expect(parseGitIndex(bytes.subarray(0, length))).toBeUndefined()
    const flipped = Buffer.from(bytes)
    flipped[200] = (flipped[200] ?? 0) ^ 1
    expect(parseGitIndex(flipped)).toBeUndefined()
  })
})

describe('git’s objects', () => {
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at} ${((at * 7919) % 1000).toString(36)}`)
  const first = `${lines.join('\n')}\n`
  const second = `${lines.with(30, 'changed here').toSpliced(10, 1).join('\n')}\n\nand an end\n`

  it.for(['by-offset', 'by-name'])('H1 a text and its difference are read from a pack, %s', (name) => {
    const objects = new GitObjects(stored(name))
    expect(objects.blob('0876271f35b455eb7966a27e7ffd7c0d1d5e388b')?.toString()).toBe(first)
    expect(objects.blob('55896e55b98c47d212df08cbfc63c89dfe1179d1')?.toString()).toBe(second)
  })

  it('H1 a missing object, or one that is not a blob, is not found', () => {
    const objects = new GitObjects(stored('by-offset'))
    expect(objects.blob('0'.repeat(40))).toBeUndefined()
    expect(objects.blob('1fce19738eacc3babcb1c9faeedee8ec3840868a')).toBeUndefined()
    expect(new GitObjects('/nowhere').blob('0'.repeat(40))).toBeUndefined()
  })
})
