import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import {
  decodeKeys,
  endOfKeys,
  nothingPending,
  type Pending,
} from '../../src/interactive/keys/decode-keys.js'
import type { Input } from '../../src/interactive/keys/input.js'
import { KeyReader } from '../../src/interactive/keys/key-reader.js'

/** Inputs in one word each: names of keys, text in quotes, pastes in brackets. */
function spelled(inputs: readonly Input[]): string {
  return inputs
    .map((input) =>
      input.kind === 'key' ? input.name : input.kind === 'text' ? `'${input.text}'` : `[${input.text}]`,
    )
    .join(' ')
}

function decode(...chunks: readonly string[]): string {
  let pending: Pending = nothingPending
  const inputs: Input[] = []
  for (const chunk of chunks) {
    const decoded = decodeKeys(pending, chunk)
    inputs.push(...decoded.inputs)
    pending = decoded.pending
  }
  return spelled([...inputs, ...endOfKeys(pending)])
}

const esc = '\u001b'

const keys: Readonly<Record<string, string>> = {
  // Characters and controls.
  abc: "'abc'",
  中文: "'中文'",
  '\r': 'enter',
  '\n': 'ctrl+j',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\u0008': 'ctrl+h',
  '\u0001': 'ctrl+a',
  '\u001f': 'ctrl+_',
  '\u0000': 'ctrl+space',
  // Cursor keys as xterm, rxvt, the console and application mode send them.
  [`${esc}[A`]: 'up',
  [`${esc}OA`]: 'up',
  [`${esc}[1;5C`]: 'ctrl+right',
  [`${esc}[1;3D`]: 'alt+left',
  [`${esc}[1;2B`]: 'shift+down',
  [`${esc}Oc`]: 'ctrl+right',
  [`${esc}[c`]: 'shift+right',
  [`${esc}${esc}[C`]: 'alt+right',
  [`${esc}[H`]: 'home',
  [`${esc}[1~`]: 'home',
  [`${esc}[7~`]: 'home',
  [`${esc}OF`]: 'end',
  [`${esc}[4~`]: 'end',
  [`${esc}[3~`]: 'delete',
  [`${esc}[3;5~`]: 'ctrl+delete',
  [`${esc}[5~`]: 'pageup',
  [`${esc}[Z`]: 'shift+tab',
  [`${esc}OP`]: 'f1',
  [`${esc}[15~`]: 'f5',
  [`${esc}[[A`]: 'f1',
  [`${esc}Ok`]: "'+'",
  [`${esc}OM`]: 'enter',
  // Alt.
  [`${esc}b`]: 'alt+b',
  [`${esc}B`]: 'alt+shift+b',
  [`${esc}<`]: 'alt+<',
  [`${esc}\r`]: 'alt+enter',
  [`${esc}\u007f`]: 'alt+backspace',
  [`${esc}é`]: 'alt+é',
  // Esc by itself, and twice.
  [esc]: 'escape',
  [`${esc}${esc}`]: 'escape escape',
  [`${esc}[`]: 'alt+[',
  [`${esc}O`]: 'alt+shift+o',
  // Kitty's protocol.
  [`${esc}[27u`]: 'escape',
  [`${esc}[13;2u`]: 'shift+enter',
  [`${esc}[13;5u`]: 'ctrl+enter',
  [`${esc}[99;5u`]: 'ctrl+c',
  [`${esc}[97;3u`]: 'alt+a',
  [`${esc}[97:65;4u`]: 'alt+shift+a',
  [`${esc}[44:60;4u`]: 'alt+<',
  [`${esc}[97;69u`]: 'ctrl+a',
  [`${esc}[1089::99;5u`]: 'ctrl+c',
  [`${esc}[97;5:1u`]: 'ctrl+a',
  [`${esc}[97;5:3u`]: '',
  [`${esc}[57441;2u`]: '',
  [`${esc}[57399u`]: "'0'",
  [`${esc}[57414u`]: 'enter',
  [`${esc}[57419;5u`]: 'ctrl+up',
  [`${esc}[99;9u`]: 'super+c',
  [`${esc}[97:65;2u`]: "'A'",
  [`${esc}[1;5:1C`]: 'ctrl+right',
  // xterm's other keys.
  [`${esc}[27;2;13~`]: 'shift+enter',
  [`${esc}[27;5;9~`]: 'ctrl+tab',
  // Pastes.
  [`${esc}[200~one\rtwo\r\nthree${esc}[201~x`]: "[one\ntwo\nthree] 'x'",
  [`${esc}[200~a${esc}[31mb${esc}[201~`]: `[a${esc}[31mb]`,
  // Answers of the terminal, and what is unknown.
  [`${esc}[?1;2c`]: '',
  [`${esc}[?2026;2$y`]: '',
  [`${esc}]11;rgb:0000/0000/0000\u0007a`]: "'a'",
  [`${esc}P>|kitty${esc}\\b`]: "'b'",
  [`${esc}[I`]: '',
  [`${esc}[99~z`]: "'z'",
}

test.for(Object.entries(keys))('H1 %j is %j', ([bytes, expected]) => {
  expect(decode(bytes)).toBe(expected)
})

const anything = fc.array(fc.oneof(fc.constantFrom(...Object.keys(keys)), fc.string({ unit: 'binary' })), {
  maxLength: 8,
})

/** Cut into pieces that do not end inside a character. */
function cut(text: string, places: readonly number[]): string[] {
  const units = [...text]
  const at = [...new Set(places.map((place) => place % (units.length + 1)))].sort((a, b) => a - b)
  return [...at, units.length].map((end, index) => units.slice(index === 0 ? 0 : at[index - 1], end).join(''))
}

test('H1 the keys are the same, however the terminal’s input is split into chunks', () => {
  // Characters next to each other may come as one text or as several.
  const joined = (text: string) => text.replace(/' '/g, '')
  fc.assert(
    fc.property(anything, fc.array(fc.nat(), { maxLength: 10 }), (parts, places) => {
      const text = parts.join('')
      expect(joined(decode(...cut(text, places)))).toBe(joined(decode(text)))
    }),
    { numRuns: runs(500) },
  )
})

test('H1 inserted text contains no control characters', () => {
  fc.assert(
    fc.property(anything, (parts) => {
      const { inputs } = decodeKeys(nothingPending, parts.join(''))
      for (const input of inputs) if (input.kind === 'text') expect(input.text).not.toMatch(/\p{Control}/u)
    }),
    { numRuns: runs(500) },
  )
})

test('H1 a paste of a megabyte in small chunks is read in linear time', () => {
  const chunks = Array.from({ length: 20_000 }, () => 'x'.repeat(50))
  let pending: Pending = decodeKeys(nothingPending, `${esc}[200~`).pending
  for (const chunk of chunks) pending = decodeKeys(pending, chunk).pending
  const { inputs } = decodeKeys(pending, `${esc}[201~`)
  expect(inputs).toEqual([{ kind: 'paste', text: chunks.join('') }])
})

afterEach(() => void vi.useRealTimers())

test('H1 a lone Esc is recognized after a moment, and a split sequence is completed', () => {
  vi.useFakeTimers()
  const heard: Input[] = []
  const reader = new KeyReader((input) => heard.push(input))
  reader.take(esc)
  expect(heard).toEqual([])
  vi.advanceTimersByTime(60)
  expect(spelled(heard)).toBe('escape')
  reader.take(`${esc}[`)
  vi.advanceTimersByTime(20)
  reader.take('A')
  vi.advanceTimersByTime(1000)
  expect(spelled(heard)).toBe('escape up')
  expect(vi.getTimerCount()).toBe(0)
})

test('P1 a line that was typed before the program took the keys ends with Enter, as it was typed', () => {
  const heard = (...chunks: string[]) => {
    const inputs: Input[] = []
    const reader = new KeyReader((input) => inputs.push(input))
    for (const chunk of chunks) reader.take(chunk)
    return inputs
  }
  expect(heard('hello\n').at(-1)).toEqual({ kind: 'key', name: 'enter' })
  expect(heard('hello', '\n').at(-1)).not.toEqual({ kind: 'key', name: 'enter' })
  expect(heard('one\ntwo\n').at(-1)).not.toEqual({ kind: 'key', name: 'enter' })
})
