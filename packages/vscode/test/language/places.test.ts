import { expect, test } from 'vitest'
import { macroAt, macroPlaces } from '../../src/language/macro-places.js'
import { problemsIn } from '../../src/language/problems.js'
import { referenceAt } from '../../src/language/reference-places.js'
import { calledName, commandsFor, userCommandSite } from '../../src/language/user-command-site.js'

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

test('H2 M8 a text of 200 000 open braces takes linear time', () => {
  const started = performance.now()
  macroPlaces('@{if {{'.repeat(30_000))
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('H2 the name of a user command is completed at the start of a prompt only', () => {
  expect(userCommandSite('/rev', 4)).toEqual({ from: 0, to: 4, query: 'rev' })
  expect(userCommandSite(' /review a.ts', 3)).toEqual({ from: 1, to: 8, query: 'r' })
  expect(userCommandSite('see /rev', 8)).toBeUndefined()
  expect(userCommandSite('/review a', 9)).toBeUndefined()
  expect(userCommandSite('/etc/hosts', 10)).toBeUndefined()
  const named = (name: string) => ({ name, description: '', params: [] })
  const found = commandsFor({ from: 0, to: 2, query: 'r' }, [named('order'), named('review'), named('ask')])
  expect(found.map(({ name }) => name)).toEqual(['review', 'order'])
})

test('H2 N19d the name of a macro that is not defined is underlined', () => {
  const warning = { code: 'unknown-macro', message: '{{LANG}} is not defined', source: 'prompt', line: 1 }
  for (const [text, column] of [
    ['Say {{LANG}}', 7],
    ['Say {{ LANG }}', 8],
  ] as const)
    expect(
      problemsIn(text, [{ ...warning, column }], 'prompt').map(({ from, to }) => text.slice(from, to)),
    ).toEqual(['LANG'])
})

test('H2 the name that a prompt calls is its first word', () => {
  const text = ' /review a.ts'
  expect(calledName(text)).toEqual({ name: 'review', from: 1, to: 8 })
  for (const other of ['see /review', '/etc/hosts', '/', '//x', '']) expect(calledName(other)).toBeUndefined()
})

test('H2 a command that does not exist is underlined', () => {
  const warning = { code: 'command', message: 'did you mean /review?', source: 'prompt' }
  expect(problemsIn('/revue a.ts', [warning], 'prompt')).toMatchObject([{ from: 0, to: 6 }])
})

test('H2 F2 a mentioned path that does not exist is underlined, without the punctuation after it', () => {
  const warning = { code: 'mention-missing', message: 'gone', source: 'prompt', line: 2, column: 5 }
  const underlined = (text: string) =>
    problemsIn(`first\n${text}`, [warning], 'prompt').map(({ from, to }) => `first\n${text}`.slice(from, to))
  expect(underlined('see @src/gone.ts, please')).toEqual(['@src/gone.ts'])
  expect(underlined('see @"my gone.md".')).toEqual(['@"my gone.md"'])
})
