import { readControlSequence } from './control-sequence.js'
import { characterKey, type Input, keyOf } from './input.js'
import type { Read } from './read.js'

/** Input that is not complete yet: a sequence that was cut between two chunks, or a paste that continues. */
export interface Pending {
  readonly rest: string
  readonly pasted?: string
}

export const nothingPending: Pending = { rest: '' }

export interface Decoded {
  readonly inputs: readonly Input[]
  readonly pending: Pending
}

/** Reads what a terminal sends for keys: legacy sequences, kitty's protocol, marked pastes. */
export function decodeKeys({ rest, pasted }: Pending, chunk: string): Decoded {
  const inputs: Input[] = []
  const text = rest + chunk
  let paste = pasted
  for (let at = 0; at < text.length; ) {
    const read = paste === undefined ? readInput(text, at) : readPaste(text, at)
    if (read.kind === 'cut') return { inputs, pending: pendingOf(text.slice(at), paste) }
    at = read.end
    if (read.kind === 'input') inputs.push(read.input)
    if (read.kind === 'paste-end') inputs.push({ kind: 'paste', text: pastedText(paste ?? '') })
    if (read.kind === 'paste-start') paste = ''
    if (read.kind === 'paste-part') paste += read.text
    if (read.kind === 'paste-end') paste = undefined
  }
  return { inputs, pending: pendingOf('', paste) }
}

function pendingOf(rest: string, pasted: string | undefined): Pending {
  return pasted === undefined ? { rest } : { rest, pasted }
}

/** No more input came, so the apparent beginning of a sequence was a key by itself. */
export function endOfKeys({ rest, pasted }: Pending): readonly Input[] {
  if (pasted !== undefined) return [{ kind: 'paste', text: pastedText(pasted + rest) }]
  if (rest === '') return []
  if (rest === esc) return [keyOf('escape')]
  if (rest.startsWith(esc + esc)) return [keyOf('escape'), ...endOfKeys({ rest: rest.slice(1) })]
  // Alt with [, O, ] or the like. Anything longer is a sequence whose end was lost.
  return rest.length === 2 ? [characterKey(rest.slice(1), { alt: true })] : []
}

const esc = '\u001b'
const pasteEnd = '\u001b[201~'

/** Terminals send line ends of a paste as Enter. */
function pastedText(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function readPaste(text: string, at: number): Read {
  const end = text.indexOf(esc, at)
  if (end === -1) return { kind: 'paste-part', text: text.slice(at), end: text.length }
  if (end > at) return { kind: 'paste-part', text: text.slice(at, end), end }
  if (text.startsWith(pasteEnd, at)) return { kind: 'paste-end', end: at + pasteEnd.length }
  if (pasteEnd.startsWith(text.slice(at))) return { kind: 'cut' }
  return { kind: 'paste-part', text: esc, end: at + 1 }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters end a run of text.
const plainRun = /[^\u0000-\u001f\u007f-\u009f]+/y

function readInput(text: string, at: number): Read {
  plainRun.lastIndex = at
  const [plain] = plainRun.exec(text) ?? []
  if (plain !== undefined)
    return { kind: 'input', input: { kind: 'text', text: plain }, end: at + plain.length }
  return text[at] === esc ? readEscape(text, at) : readControl(text, at)
}

function readControl(text: string, at: number): Read {
  const input = controlKey(text.charCodeAt(at))
  return input ? { kind: 'input', input, end: at + 1 } : { kind: 'ignored', end: at + 1 }
}

function controlKey(code: number, alt = false): Input | undefined {
  const name = controlNames[code]
  if (name !== undefined) return keyOf(name, { alt })
  if (code === 0) return keyOf('space', { ctrl: true, alt })
  return code < 0x20 ? keyOf(String.fromCharCode(code + 0x40).toLowerCase(), { ctrl: true, alt }) : undefined
}

const controlNames: Readonly<Record<number, string>> = {
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
}

/** Everything that begins with Esc. */
function readEscape(text: string, at: number): Read {
  const next = text[at + 1]
  if (next === undefined) return { kind: 'cut' }
  if (next === '[' || next === 'O') return readControlSequence(text, at)
  if (next in stringEnds) return readReply(text, at)
  if (next === esc) return readDoubleEscape(text, at)
  const code = text.codePointAt(at + 1) ?? 0
  if (code < 0x20 || code === 0x7f) {
    const input = controlKey(code, true)
    return input ? { kind: 'input', input, end: at + 2 } : { kind: 'ignored', end: at + 2 }
  }
  const character = String.fromCodePoint(code)
  return { kind: 'input', input: characterKey(character, { alt: true }), end: at + 1 + character.length }
}

/** Some terminals put one more Esc before the sequence of a key if Alt is held. */
function readDoubleEscape(text: string, at: number): Read {
  const third = text[at + 2]
  if (third === undefined) return { kind: 'cut' }
  if (third !== '[' && third !== 'O') return { kind: 'input', input: keyOf('escape'), end: at + 1 }
  const read = readControlSequence(text, at + 1)
  if (read.kind !== 'input' || read.input.kind !== 'key' || /\balt\+/.test(read.input.name)) return read
  return { ...read, input: { kind: 'key', name: withAlt(read.input.name) } }
}

function withAlt(name: string): string {
  return name.startsWith('ctrl+') ? name.replace('ctrl+', 'ctrl+alt+') : `alt+${name}`
}

/** Replies of the terminal: OSC, DCS, APC, PM, SOS. They end with BEL or ST. */
const stringEnds: Readonly<Record<string, true>> = { ']': true, P: true, _: true, '^': true, X: true }

/** Every reply that we ask for is much shorter. */
const longestReply = 65_536

function readReply(text: string, at: number): Read {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these end such a reply.
  const end = /\u0007|\u001b\\/.exec(text.slice(at + 2))
  if (end) return { kind: 'ignored', end: at + 2 + end.index + end[0].length }
  return text.length - at > longestReply ? { kind: 'ignored', end: text.length } : { kind: 'cut' }
}
