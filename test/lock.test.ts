import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Entry {
  readonly resolved?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const packages: Readonly<Record<string, Entry>> = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
).packages

/** The folders in which Node looks for what a package imports, the nearest first. */
function foldersAbove(path: string): string[] {
  const parents = [...path.matchAll(/(?:^|\/)node_modules\//g)].map(({ index }) => path.slice(0, index))
  return [...new Set([path, ...parents.reverse(), ''])]
}

function isLocked(dependent: string, name: string): boolean {
  return foldersAbove(dependent).some((folder) => `${folder && `${folder}/`}node_modules/${name}` in packages)
}

test('T10 the lock holds every platform’s package of the tools in it: npm 11 installs from no other', () => {
  const wanted = Object.entries(packages).flatMap(([dependent, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ dependent, name })),
  )
  expect(wanted.length).toBeGreaterThan(40)
  expect(wanted.filter(({ dependent, name }) => !isLocked(dependent, name))).toEqual([])
})

test('T10 the lock names no registry: each machine uses its own', () => {
  const remote = Object.entries(packages).filter(([, { link, resolved }]) => !link && resolved !== undefined)
  expect(remote).toEqual([])
})
