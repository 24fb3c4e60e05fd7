/** A Rust regular expression as an RE2 pattern, or why it cannot be translated. */
export type Translation =
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'bad-pattern'; readonly message: string }

// Unicode's Alphabetic, marks, digits, connectors and joiners. RE2 has no Alphabetic: it consists of all letters,
// letter numbers, and circled and squared letters.
const word =
  '\\p{L}\\p{M}\\p{Nl}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}' +
  '\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}'
const space = '\\t\\n\\x{b}\\f\\r\\x{85}\\p{Z}'

const outsideClass: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: `[${word}]`,
  W: `[^${word}]`,
  s: `[${space}]`,
  S: `[^${space}]`,
  b: '\\b',
  B: '\\B',
}

const insideClass: Readonly<Record<string, string>> = { d: '\\p{Nd}', D: '\\P{Nd}', w: word, s: space }

/**
 * Translates a pattern for a search without ripgrep. `\d`, `\w` and `\s` keep their Unicode meaning; `\b` works only
 * for ASCII words. Syntax that the two languages do not share is refused, never guessed.
 */
export function translateRustPattern(pattern: string): Translation {
  let source = ''
  let classDepth = 0
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at)
    const piece = classDepth > 0 ? classPiece(rest) : plainPiece(rest)
    if (piece === undefined) return refusal(pattern, at)
    if (piece.enters) classDepth = 1
    if (piece.leaves) classDepth = 0
    source += piece.source
    at += piece.length
  }
  return { kind: 'pattern', source }
}

interface Piece {
  readonly source: string
  /** How many characters of the pattern it covers. */
  readonly length: number
  readonly enters?: boolean
  readonly leaves?: boolean
}

function plainPiece(rest: string): Piece | undefined {
  // A `]` at the beginning is literal.
  const opening = /^\[\^?\]?/.exec(rest)?.[0]
  if (opening !== undefined) return { ...verbatim(opening), enters: true }
  if (rest.startsWith('(?')) {
    const group = /^\(\?(?:P?<[A-Za-z_]\w*>|[ims]*(?:-[is]+)?[:)])/.exec(rest)?.[0]
    return group === undefined ? undefined : verbatim(group)
  }
  if (rest.startsWith('{')) {
    const count = /^\{\d+(?:,\d*)?\}/.exec(rest)?.[0]
    return count === undefined ? undefined : verbatim(count)
  }
  return rest.startsWith('\\') ? escapePiece(rest, outsideClass) : letterPiece(rest)
}

function classPiece(rest: string): Piece | undefined {
  if (rest.startsWith(']')) return { ...verbatim(']'), leaves: true }
  const named = /^\[:\^?[a-z]+:\]/.exec(rest)?.[0]
  if (named !== undefined) return verbatim(named)
  // Nested classes, and the difference, symmetric difference and intersection of two.
  if (/^(?:\[|--|~~|&&)/.test(rest)) return undefined
  return rest.startsWith('\\') ? escapePiece(rest, insideClass) : letterPiece(rest)
}

function escapePiece(rest: string, classes: Readonly<Record<string, string>>): Piece | undefined {
  const letter = rest[1] ?? ''
  const replaced = Object.hasOwn(classes, letter) ? classes[letter] : undefined
  if (replaced !== undefined) return { source: replaced, length: 2 }
  const code = /^\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]+)\}|u([0-9A-Fa-f]{4}))/.exec(rest)
  if (code) {
    const [whole, ...digits] = code
    const value = Number.parseInt(digits.find((each) => each !== undefined) ?? '', 16)
    return value === 0x0a ? undefined : { source: `\\x{${value.toString(16)}}`, length: whole.length }
  }
  const shared = /^\\(?:[pP](?:\{\^?\w+\}|\w)|[tfvra]|[!-/:;=?@[-`{-~])/.exec(rest)?.[0]
  return shared === undefined ? undefined : verbatim(shared)
}

function letterPiece(rest: string): Piece | undefined {
  return rest.startsWith('\n') ? undefined : verbatim(rest.slice(0, 1))
}

function verbatim(text: string): Piece {
  return { source: text, length: text.length }
}

function refusal(pattern: string, at: number): Translation {
  const place = JSON.stringify(pattern.slice(at, at + 8))
  return {
    kind: 'bad-pattern',
    message: `regex parse error at ${at + 1}, near ${place}: not supported in a search without ripgrep`,
  }
}
