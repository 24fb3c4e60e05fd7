import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { readReason } from '../../src/reasons/read-reason.js'
import {
  because,
  englishReasons,
  type Reason,
  type ReasonCode,
  reasonText,
} from '../../src/reasons/reason.js'

const codes = Object.keys(englishReasons) as ReasonCode[]
const holes = (code: ReasonCode) =>
  [...englishReasons[code].matchAll(/\{\d(!?)\}/g)].map(([, inner]) => inner === '!')

/** Any reason, with plain words as its arguments. */
const { reason } = fc.letrec<{ reason: Reason }>((tie) => ({
  reason: fc
    .constantFrom(...codes)
    .chain((code) =>
      fc
        .tuple(
          ...holes(code).map((isInner) =>
            isInner ? tie('reason') : fc.constantFrom('a.ts', 'npm', 'Bash(x)'),
          ),
        )
        .map((args) => ({ code, args }) as Reason),
    ),
}))

test('A8 a reason in words has each argument in its place, as it is written', () => {
  expect(reasonText(because('no-rule-on-path', 'Write', '$& {0}.ts'))).toBe(
    'no rule allows Write on $& {0}.ts',
  )
  const nested = because('unconfined', because('not-understood', because('missing', '"')))
  expect(reasonText(nested)).toBe(
    'the command line cannot be judged: a " is missing; no sandbox would confine it',
  )
})

test('A8 the words of a reason can be read back: they say the same again', () => {
  fc.assert(
    fc.property(reason, (made) => {
      const text = reasonText(made)
      const read = readReason(text)
      expect(read && reasonText(read)).toBe(text)
    }),
    { numRuns: runs(300) },
  )
})

test('A8 each reason is read back with its own code and arguments', () => {
  for (const code of codes) {
    const args = holes(code).map((isInner, at) => (isInner ? because('comment') : `x${at}.ts`))
    expect(readReason(reasonText(because(code, ...args)))).toEqual({ code, args })
  }
})

test('A8 other words are not a reason, however long they are', () => {
  expect(readReason('There is no such file')).toBeUndefined()
  expect(readReason(`no rule allows ${'x; '.repeat(100_000)}`)).toBeUndefined()
})
