/**
 * The most UTF-8 bytes of one run. The longest token of o200k has 128, so a cut changes the count by about one token
 * per this many bytes.
 */
const longestRun = 256

/**
 * Splits a text into pieces that a byte-pair tokenizer can handle. Its merging takes quadratic time in the length of a
 * run that its pattern does not split: 100 KB of one letter take seconds. So such runs are cut, between whole
 * characters. A text without them is one piece.
 */
export function* tokenizerPieces(text: string): Generator<string> {
  let cut = 0
  let bytes = 0
  let run: Kind = kinds.joining
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = kindOf(code, run)
    if (endsRun(kind, run)) bytes = 0
    if (kind !== kinds.joining) run = kind
    if (bytes >= longestRun && !isSecondHalf(text, at)) {
      yield text.slice(cut, at)
      cut = at
      bytes = 0
    }
    bytes += code < 0x80 ? 1 : 3
  }
  yield cut === 0 ? text : text.slice(cut)
}

/**
 * The character classes that the tokenizer's pattern distinguishes. A character that joins either side never ends a
 * run.
 */
const kinds = { unknown: 0, joining: 1, letter: 2, digit: 3, space: 4, mark: 5 } as const
type Kind = (typeof kinds)[keyof typeof kinds]

/** Cached by code unit: testing a pattern for each character would cost more than counting. */
const known = new Uint8Array(0x10000)

/** Digits are always grouped by three, so they need no cut. */
function endsRun(kind: Kind, run: Kind): boolean {
  return kind === kinds.digit || (kind !== run && kind !== kinds.joining && run !== kinds.joining)
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n/]*`: line ends continue a run of punctuation. */
function kindOf(code: number, run: Kind): Kind {
  if ((code === 0x0a || code === 0x0d) && run === kinds.mark) return kinds.mark
  const kind = known[code] as Kind
  if (kind !== kinds.unknown) return kind
  const found = findKind(String.fromCharCode(code))
  known[code] = found
  return found
}

function findKind(unit: string): Kind {
  if (/\p{M}|\p{Cs}/u.test(unit)) return kinds.joining
  if (/\p{L}/u.test(unit)) return kinds.letter
  if (/\p{N}/u.test(unit)) return kinds.digit
  return /\s/u.test(unit) ? kinds.space : kinds.mark
}

function isSecondHalf(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at), 0xdc00, 0xdfff) && isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff)
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last
}
