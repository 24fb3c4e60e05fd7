import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { macroPlaces } from '../../src/language/macro-places.js'
import { referencePlaces } from '../../src/language/reference-places.js'

interface Grammar {
  readonly patterns: readonly { readonly comment: string; readonly match: string; readonly name?: string }[]
}
const file = new URL('../../media/references.tmLanguage.json', import.meta.url)
const { patterns } = JSON.parse(readFileSync(file, 'utf8')) as Grammar

/** The editor's patterns are JavaScript's, but for the start of a document. */
function matches(kind: string, text: string): readonly string[] {
  const found = patterns.filter(({ name = 'define' }) => name.includes(kind))
  return found.flatMap(({ match }) => [...text.matchAll(patternOf(match))].map(([whole]) => whole))
}

function patternOf(match: string): RegExp {
  return new RegExp(match.replace('\\A', '(?<![^])'), 'gmu')
}

const text = `/review src/a.ts
Say {{ NAME }} and {{OTHER}} about @[src/a[0].ts:3:9], @[Grep{"pattern":"x"}] and @src/b.ts
#define LANG German
@{if LANG IS "x"}mail a@b.de, see @"my notes.md"@{endif} at /etc/hosts`

test('H2 references in a prompt have their own colour', () => {
  // Only names of commands that exist, which no grammar knows.
  expect(matches('user-command', text)).toEqual([])
  expect(matches('command.mutsumi', text)).toContain('@{if LANG IS "x"}')
  expect(matches('mention', text)).toEqual(['@src/b.ts', '@"my notes.md"'])
  expect(matches('define', text)).toEqual(['#define LANG'])
})

test('H2 colours and the engine agree on references and macros', () => {
  expect(matches('reference', text)).toEqual(
    referencePlaces(text).map(({ from, to }) => text.slice(from, to)),
  )
  const named = macroPlaces(text).filter(({ from }) => text.slice(0, from).trimEnd().endsWith('{{'))
  expect(matches('macro', text)).toHaveLength(named.length)
})

test('H2 every pattern fails fast on long text', () => {
  const long = [
    `@[${'a'.repeat(50_000)}`,
    `{{${' '.repeat(50_000)}`,
    '@'.repeat(50_000),
    `@[${'[]'.repeat(25_000)}`,
  ]
  const start = performance.now()
  for (const each of long)
    for (const { match } of patterns) expect([...each.matchAll(patternOf(match))].length).toBeLessThan(2)
  expect(performance.now() - start).toBeLessThan(5000)
})

test('H2 the colours of a prompt load no other grammar, because an opening notebook waits for those', () => {
  const prompt = readFileSync(new URL('../../media/prompt.tmLanguage.json', import.meta.url), 'utf8')
  const included = [...prompt.matchAll(/"include": "([^"]*)"/g)].map(([, name = '']) => name)
  const { repository } = JSON.parse(prompt) as { readonly repository: Readonly<Record<string, object>> }
  expect(new Set(included)).toEqual(new Set(Object.keys(repository).map((name) => `#${name}`)))
})
