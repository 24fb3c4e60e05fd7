import { expect, test } from 'vitest'
import { macroAt, macroPlaces } from '../../src/language/macro-places.js'
import { problemsIn } from '../../src/language/problems.js'
import { referenceAt } from '../../src/language/reference-places.js'

const text =
  '#define LANG German\nSay {{ LANG }} @{if LANG IS OTHER}x@{endif} @{define OTHER, "v"} about @[a[0].ts:3:9]!'
const spelled = (name: string) =>
  macroPlaces(text)
    .filter((place) => place.name === name)
    .map(({ from, to, isDefinition }) => [text.slice(from, to), isDefinition])

test('H2 M4 every place that names a macro is found, so it can be renamed', () => {
  expect(spelled('LANG')).toEqual([
    ['LANG', true],
    ['LANG', false],
    ['LANG', false],
  ])
  expect(spelled('OTHER')).toEqual([
    ['OTHER', false],
    ['OTHER', true],
  ])
  expect(macroAt(text, text.indexOf('LANG }}') + 1)?.name).toBe('LANG')
  expect(macroAt(text, text.indexOf('Say'))).toBeUndefined()
})

test('H2 R2 the reference at a place is found, brackets inside it included', () => {
  const at = text.indexOf('[0]')
  expect(referenceAt(text, at)?.reference).toMatchObject({
    kind: 'path',
    path: 'a[0].ts',
    range: { start: 3, end: 9 },
  })
  expect(referenceAt(text, text.indexOf('Say'))).toBeUndefined()
})

test('H2 a warning is shown below the whole reference that it is about', () => {
  const warning = { code: 'not-found', message: 'not found', source: 'prompt', line: 1, column: 5 }
  const [problem] = problemsIn(
    'See @[missing.ts] there',
    [warning, { ...warning, source: 'cell 2' }],
    'prompt',
  )
  expect(problem).toMatchObject({ from: 4, to: 17, message: 'not found' })
})

test('H2 M8 a text of 200 000 open braces is looked through in linear time', () => {
  const started = performance.now()
  macroPlaces('@{if {{'.repeat(30_000))
  expect(performance.now() - started).toBeLessThan(5_000)
})
