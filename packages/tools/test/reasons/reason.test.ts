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

const plain = fc.constantFrom('a.ts', 'npm', 'Bash(x)')

/** Any reason, with plain words as its arguments, and at most so many reasons in each other. */
function reasonOf(depth: number, among: readonly ReasonCode[] = codes): fc.Arbitrary<Reason> {
  const outer = depth > 0 ? among : among.filter((code) => !holes(code).includes(true))
  return fc
    .constantFrom(...outer)
    .chain((code) =>
      fc
        .tuple(...holes(code).map((isInner) => (isInner ? reasonOf(depth - 1, among) : plain)))
        .map((args) => ({ code, args }) as Reason),
    )
}

const reason = reasonOf(3)

/** What a refusal can be about: a refusal is never inside another one. */
const refusals: readonly ReasonCode[] = ['not-permitted', 'nobody-to-ask-about']
const insideRefusal = reasonOf(
  3,
  codes.filter((code) => !refusals.includes(code)),
)

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

test('A8 a refusal is read back as one, whatever reason it has', () => {
  const execute = because('execute')
  fc.assert(
    fc.property(insideRefusal, (made) => {
      const refusal = because('not-permitted', 'Bash', execute, made)
      expect(readReason(reasonText(refusal))?.code).toBe('not-permitted')
      const unasked = because('nobody-to-ask-about', because('allowed-by', 'Bash(node:*)'), made)
      expect(readReason(reasonText(unasked))?.code).toBe('nobody-to-ask-about')
      const both = because('not-permitted', 'Bash', execute, unasked)
      const { code, args } = readReason(reasonText(both)) ?? {}
      expect([code, args?.slice(0, 2)]).toEqual(['not-permitted', ['Bash', execute]])
      expect(args?.[2]).toMatchObject({ code: 'nobody-to-ask-about' })
    }),
    { numRuns: runs(300) },
  )
})

test('A8 other words are not a reason, however long they are', () => {
  expect(readReason('There is no such file')).toBeUndefined()
  expect(readReason(`no rule allows ${'x; '.repeat(100_000)}`)).toBeUndefined()
})
