/**
 * UTF-8 bytes that one run may have. The longest token of o200k has 128, so that a cut changes a count by about one
 * token in this many bytes.
 */
const longestRun = 256

/**
 * The text in pieces that a byte-pair tokenizer can take. Its merging takes the square of the length of a stretch that
 * its own pattern does not divide: 100 KB of one letter keep it busy for seconds. So such runs are cut, between whole
 * characters; a text without them is one piece.
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

/** What the tokenizer's pattern tells apart. What joins either side never ends a run. */
const kinds = { unknown: 0, joining: 1, letter: 2, digit: 3, space: 4, mark: 5 } as const
type Kind = (typeof kinds)[keyof typeof kinds]

/** By code unit, filled as they are met: asking a pattern for each character would cost more than counting. */
const known = new Uint8Array(0x10000)

/** Digits are always taken three by three, so they need no cut. */
function endsRun(kind: Kind, run: Kind): boolean {
  return kind === kinds.digit || (kind !== run && kind !== kinds.joining && run !== kinds.joining)
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n/]*`: line ends go on with a run of marks. */
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
