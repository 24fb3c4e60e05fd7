import type { Json } from '@mutsumi/schema'

export type ReadJson =
  | { readonly kind: 'value'; readonly value: Json; readonly end: number }
  /** The text ended before the value did. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'invalid'; readonly why: string }

/**
 * Reads the object or list that begins at `start`, as models write them: with raw line ends in strings, commas after
 * the last entry, comments, single quotes, bare keys, Python's words. Each of these slips has only one meaning and is
 * rewritten to JSON in one pass. `JSON.parse` then decides about everything else.
 */
export function readLenientJson(text: string, start: number): ReadJson {
  const strict = new StrictCopy()
  for (let at = start; at < text.length; ) {
    const next = copyToken(text, at, strict)
    if (typeof next !== 'number') return next
    at = next
    if (strict.isWhole) return parse(strict.json, at)
  }
  return { kind: 'cut' }
}

/** Later code cannot serialise deeper values. */
const deepest = 200

const commas = new Set([',', '，'])
const colons = new Set([':', '：'])
const closingQuotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”' }
const words: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

/** Copies the token at `at`. Returns the offset after it, or why it could not be read. */
function copyToken(text: string, at: number, strict: StrictCopy): number | ReadJson {
  const character = text.charAt(at)
  if (character.trim() === '') return at + 1
  if (closingQuotes[character] !== undefined) return copyString(text, at, strict)
  if (character === '{' || character === '[') {
    return strict.open(character) ? at + 1 : invalid('it is nested too deeply')
  }
  if (character === '}' || character === ']') {
    return strict.close(character) ? at + 1 : invalid(`there is a "${character}" without its opening bracket`)
  }
  if (commas.has(character) || colons.has(character)) {
    strict.add(commas.has(character) ? ',' : ':')
    return at + 1
  }
  return skipComment(text, at) ?? copyWord(text, at, strict)
}

function skipComment(text: string, at: number): number | undefined {
  const ending = text.startsWith('//', at) ? '\n' : text.startsWith('/*', at) ? '*/' : undefined
  if (ending === undefined) return undefined
  const end = text.indexOf(ending, at + 2)
  return end === -1 ? text.length : end + ending.length
}

const word = /[\p{L}\p{N}_$+.-]{1,200}/uy
const colonAhead = /\s{0,100}[:：]/y

function copyWord(text: string, at: number, strict: StrictCopy): number | ReadJson {
  word.lastIndex = at
  const found = word.exec(text)?.[0]
  if (found === undefined)
    return invalid(`there is a "${text.charAt(at)}" where a value or a comma is expected`)
  const end = at + found.length
  colonAhead.lastIndex = end
  strict.add(colonAhead.test(text) ? JSON.stringify(found) : (words.get(found) ?? found))
  return end
}

/** Characters that a JSON string must escape, and those that may end it. */
const special = /["'”\\\p{Cc}]/gu
const validEscape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function copyString(text: string, opening: number, strict: StrictCopy): number | ReadJson {
  const quote = text.charAt(opening)
  const pieces = ['"']
  let copied = opening + 1
  special.lastIndex = copied
  for (let found = special.exec(text); found; found = special.exec(text)) {
    const at = found.index
    if (found[0] === closingQuotes[quote]) {
      pieces.push(text.slice(copied, at), '"')
      strict.add(pieces.join(''))
      return quote === '"' || endsAt(text, at + 1)
        ? at + 1
        : invalid(`a ${quote} inside a string must be escaped`)
    }
    const rewritten = escaped(text, at)
    if (rewritten === undefined) continue
    pieces.push(text.slice(copied, at), rewritten.json)
    copied = rewritten.end
    special.lastIndex = copied
  }
  return { kind: 'cut' }
}

/** The JSON escape of the special character at `at`; undefined if it needs none. */
function escaped(text: string, at: number): { readonly json: string; readonly end: number } | undefined {
  const character = text.charAt(at)
  if (character === "'" || character === '”') return undefined
  if (character !== '\\') return { json: JSON.stringify(character).slice(1, -1), end: at + 1 }
  validEscape.lastIndex = at
  const valid = validEscape.exec(text)?.[0]
  if (valid !== undefined) return { json: valid, end: at + valid.length }
  if (text.charAt(at + 1) === "'") return { json: "'", end: at + 2 }
  // `"\d+"`: the backslash was meant.
  return { json: '\\\\', end: at + 1 }
}

const endOfString = /\s*(?:[,，:：}\]]|$)/y

/** A non-JSON quote ends a string only before one of these. Otherwise it is an apostrophe. */
function endsAt(text: string, at: number): boolean {
  endOfString.lastIndex = at
  return endOfString.test(text)
}

/** The part of the value that was read, as strict JSON. */
class StrictCopy {
  readonly #tokens: string[] = []
  readonly #open: string[] = []

  get isWhole(): boolean {
    return this.#open.length === 0 && this.#tokens.length > 0
  }

  get json(): string {
    return this.#tokens.join('')
  }

  add(token: string): void {
    this.#tokens.push(token)
  }

  open(bracket: '{' | '['): boolean {
    this.#tokens.push(bracket)
    return this.#open.push(bracket) <= deepest
  }

  close(bracket: '}' | ']'): boolean {
    const tokens = this.#tokens
    if (tokens.at(-1) === ',' && !['{', '[', ',', ':'].includes(tokens.at(-2) ?? '{')) tokens.pop()
    tokens.push(bracket)
    return this.#open.pop() === (bracket === '}' ? '{' : '[')
  }
}

function parse(json: string, end: number): ReadJson {
  try {
    return { kind: 'value', value: JSON.parse(json) as Json, end }
  } catch {
    // Its message describes the rewritten text, which the model has not seen.
    return invalid('quotes inside strings must be written \\", and every entry needs its comma and colon')
  }
}

function invalid(why: string): ReadJson {
  return { kind: 'invalid', why }
}
