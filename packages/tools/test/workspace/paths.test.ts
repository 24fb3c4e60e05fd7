import { mkdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contains, toPath } from '../../src/workspace/paths.js'
import { readOnce } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const name = fc.constantFrom('a', 'b', 'a-b', '.a', '..a', '...', 'a b', 'ü')
const names = fc.array(name, { maxLength: 5 })
const steps = fc.array(fc.oneof(name, fc.constantFrom('.', '..', '')), { maxLength: 8 })

/** Containment as the definition says it: walk the names, and compare them one by one. */
function walk(path: readonly string[]): string[] {
  const reached: string[] = []
  for (const step of path) {
    if (step === '..') reached.pop()
    else if (step !== '.' && step !== '') reached.push(step)
  }
  return reached
}

test('R7 a folder contains exactly the paths that begin with all of its names', () => {
  fc.assert(
    fc.property(names, steps, (root, path) => {
      const reached = walk(path)
      const expected = root.every((part, index) => reached[index] === part)
      expect(contains(`/${root.join('/')}`, `/${path.join('/')}`)).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})

test('R7 a folder contains everything created below it, and no other folder with a similar name', () => {
  fc.assert(
    fc.property(names, names, fc.string({ minLength: 1, maxLength: 3 }), (root, below, suffix) => {
      fc.pre(!suffix.includes('/') && root.length > 0)
      const folder = `/${root.join('/')}`
      expect(contains(folder, [folder, ...below].join('/'))).toBe(true)
      expect(contains(folder, [folder + suffix, ...below].join('/'))).toBe(false)
    }),
    { numRuns: 1000 },
  )
})

test('R7 the workspace reads exactly the file that the path leads to', () => {
  const folder = temporaryFolder()
  for (const path of ['ws/a/b', 'ws/b', 'ws-evil/a', 'ws/..a', 'a'])
    mkdirSync(folder.at(path), { recursive: true })
  const step = fc.constantFrom('a', 'b', '..a', '.', '..', '../ws-evil', '../ws')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), (path) => {
      const root = folder.at('ws')
      const reading = readOnce([root, ...path].join('/'), { root })
      const place = `/${walk(`${root}/${path.join('/')}`.split('/')).join('/')}`
      if (reading.kind === 'directory') expect(contains(root, place)).toBe(true)
      else if (!contains(root, place))
        expect(reading).toMatchObject({
          kind: 'fault',
          code: expect.stringMatching(/ACCESS_DENIED|NOT_FOUND/),
        })
      else expect(reading).toMatchObject({ code: 'NOT_FOUND' })
    }),
    { numRuns: 500 },
  )
})

test('A8 toPath understands file: URIs, absolute and relative paths, and nothing else', () => {
  expect(toPath(pathToFileURL('/my folder/ü').href, '/ws')).toBe('/my folder/ü')
  expect(toPath('file:///a/../b', '/ws')).toBe('/b')
  expect(toPath('/a/b/', '/ws')).toBe('/a/b')
  expect(toPath('src/../lib', '/ws')).toBe('/ws/lib')
  expect(toPath('.', '/ws')).toBe('/ws')
  expect(toPath('a:b', '/ws')).toBe('/ws/a:b')
  for (const uri of [
    'https://example.org/a',
    'vscode-vfs://github/a',
    'file://host/a',
    'file:///a%2Fb',
    'a\0b',
    'file:///a%00b',
  ])
    expect(toPath(uri, '/ws'), uri).toBeUndefined()
})
