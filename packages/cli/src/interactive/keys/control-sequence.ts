import { characterKey, type Input, keyOf, type Modifiers } from './input.js'
import type { Read } from './read.js'

/**
 * Keys as control sequences: `ESC [ 1 ; 5 C`, `ESC O P`, `ESC [ 97 ; 5 u`.
 *
 *     ESC [ ? 1 ; 5 C
 *           │ └─┬─┘ └ what it is
 *           │   └ numbers, some in parts: 97:65:97
 *           └ a reply of the terminal, not a key
 */
export function readControlSequence(text: string, at: number): Read {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it begins with Esc.
  const whole = /\u001b(?:\[\[([A-E])|\[([<=>?]?)([\d:;]*)[ -/]*([@-Z\\-~])|O([\d;]*)([ -~]))/y
  whole.lastIndex = at
  const found = whole.exec(text)
  if (found === null) return isBeginning(text.slice(at)) ? { kind: 'cut' } : { kind: 'ignored', end: at + 2 }
  const [sequence, console, mark, numbers = '', final = '', ssNumbers = '', ssFinal] = found
  const end = at + sequence.length
  if (mark) return { kind: 'ignored', end }
  if (final === '~' && numbers === '200') return { kind: 'paste-start', end }
  const input = console
    ? keyOf(`f${console.charCodeAt(0) - 64}`)
    : ssFinal
      ? applicationKey(ssFinal, ssNumbers)
      : sequenceKey(final, numbers)
  return input ? { kind: 'input', input, end } : { kind: 'ignored', end }
}

function isBeginning(rest: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it begins with Esc.
  return /^\u001b(?:\[\[?[<=>?]?[\d:;]*[ -/]*|O[\d;]*)$/.test(rest)
}

function sequenceKey(final: string, numbers: string): Input | undefined {
  const fields = numbers.split(';').map((field) => field.split(':').map(Number))
  const [code = 1] = fields[0] ?? []
  const modifiers = modifiersOf(fields[1]?.[0])
  // Some terminals also report that a key was released.
  if (fields[1]?.[1] === 3) return undefined
  if (final === 'u') return codeKey(fields[0] ?? [], modifiers)
  if (final === '~')
    return code === 27 ? codeKey(fields[2] ?? [], modifiers) : named(tildeNames[code], modifiers)
  if (final === 'Z') return keyOf('tab', { shift: true })
  if (/[a-d]/.test(final)) return named(finalNames[final.toUpperCase()], { shift: true })
  return named(finalNames[final], modifiers)
}

/** `ESC O`: keys in the terminal's application mode, and its number pad. */
function applicationKey(final: string, numbers: string): Input | undefined {
  if (/[a-d]/.test(final)) return named(finalNames[final.toUpperCase()], { ctrl: true })
  if (final === 'M') return keyOf('enter')
  if (/[j-y]/.test(final)) return { kind: 'text', text: String.fromCharCode(final.charCodeAt(0) - 0x40) }
  return named(finalNames[final], modifiersOf(Number(numbers.split(';').at(-1) || 1)))
}

function named(name: string | undefined, modifiers: Modifiers): Input | undefined {
  return name === undefined ? undefined : keyOf(name, modifiers)
}

const finalNames: Readonly<Record<string, string>> = {
  ...{ A: 'up', B: 'down', C: 'right', D: 'left', H: 'home', F: 'end' },
  ...{ P: 'f1', Q: 'f2', R: 'f3', S: 'f4' },
}

const tildeNames: Readonly<Record<number, string>> = {
  ...{ 1: 'home', 2: 'insert', 3: 'delete', 4: 'end', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end' },
  ...{ 11: 'f1', 12: 'f2', 13: 'f3', 14: 'f4', 15: 'f5', 17: 'f6', 18: 'f7', 19: 'f8', 20: 'f9', 21: 'f10' },
  ...{ 23: 'f11', 24: 'f12' },
}

/** The number is one more than the sum of the modifiers that are held. Locks are ignored. */
function modifiersOf(value = 1): Modifiers {
  const bits = Math.max(0, (Number.isFinite(value) ? value : 1) - 1)
  return { shift: (bits & 1) > 0, alt: (bits & 2) > 0, ctrl: (bits & 4) > 0, other: (bits & 0b11_1000) > 0 }
}

/** A key by its code point: itself, with Shift, and on the basic layout. */
function codeKey(
  [code = 0, shifted = 0, basic = 0]: readonly number[],
  modifiers: Modifiers,
): Input | undefined {
  const name = codeNames[code]
  if (name !== undefined) return keyOf(name, modifiers)
  const character = padCharacters[code] ?? characterOf(modifiers.shift && shifted > 0 ? shifted : code)
  if (character === undefined) return undefined
  const { ctrl, alt, other } = modifiers
  if (!ctrl && !alt && !other) return { kind: 'text', text: character }
  // Ctrl+С of a Cyrillic keyboard is Ctrl+C.
  const latin = code > 0x7f ? characterOf(basic) : undefined
  return characterKey(latin ?? character, modifiers)
}

function characterOf(code: number): string | undefined {
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0)
  // From 57344 on, kitty numbers its own keys: those that are not below are modifiers, media keys and the like.
  const isOwn = code >= 57_344 && code <= 63_743
  return isControl || isOwn || code > 0x10ffff ? undefined : String.fromCodePoint(code)
}

const codeNames: Readonly<Record<number, string>> = {
  ...{ 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace', 8: 'backspace', 57414: 'enter' },
  ...{ 57417: 'left', 57418: 'right', 57419: 'up', 57420: 'down', 57421: 'pageup', 57422: 'pagedown' },
  ...{ 57423: 'home', 57424: 'end', 57425: 'insert', 57426: 'delete' },
}

/** The number pad: 0 to 9, then the marks around them. */
const padCharacters: Readonly<Record<number, string>> = Object.fromEntries(
  [...'0123456789./*-+'].map((character, index) => [57_399 + index, character]),
)
