// The packages that other programs import: those whose package.json has an entry point.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export const packages = readdirSync(`${root}packages`)

/** The packages that go to npm. The extension is published elsewhere. */
export const published = packages.filter((name) => !manifestOf(name).private)

export function manifestOf(name) {
  return JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8'))
}

export const libraries = packages.filter((name) => manifestOf(name).exports?.['.'] !== undefined)

/** A library's entry points: `session` → `['index', 'node']`. */
export function entriesOf(name) {
  return Object.values(manifestOf(name).exports).flatMap(
    (entry) => /([^/]+)\.js$/.exec(entry.default)?.[1] ?? [],
  )
}

/** The source of every entry point, under the name by which it is imported. Longer names come first. */
export function sourcesOfLibraries() {
  const sources = libraries.flatMap((name) =>
    entriesOf(name).map((entry) => [
      entry === 'index' ? `@mutsumi/${name}` : `@mutsumi/${name}/${entry}`,
      `${root}packages/${name}/src/${entry}.ts`,
    ]),
  )
  return Object.fromEntries(sources.sort(([one], [other]) => other.length - one.length))
}
