// A result may have 50 MB, so these functions read only the part that they keep, except to count lines.

/** The ends of a text with a note about the missing part; together at most `limit` (100 or more) characters. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const room = limit - longestNote
  const head = headOf(text, Math.ceil(room / 2))
  const tail = tailOf(text, Math.floor(room / 2))
  return `${head} … (${text.length - head.length - tail.length} characters left out) … ${tail}`
}

const longestNote = ' … (9007199254740991 characters left out) … '.length

/** At most this many characters from the start, without splitting a character. */
export function headOf(text: string, characters: number): string {
  return text.slice(0, isWithinPair(text, characters) ? characters - 1 : characters)
}

/** At most this many characters from the end, without splitting a character. */
export function tailOf(text: string, characters: number): string {
  const from = Math.max(0, text.length - characters)
  return text.slice(isWithinPair(text, from) ? from + 1 : from)
}

/** The longest beginning that takes at most this many characters as JSON. */
export function headWithin(text: string, jsonCharacters: number): string {
  return longestPart(text, headOf, jsonCharacters)
}

/** The longest end that takes at most this many characters as JSON. */
export function tailWithin(text: string, jsonCharacters: number): string {
  return longestPart(text, tailOf, jsonCharacters)
}

/** The first lines of a text, without the last line end. */
export function firstLines(text: string, count: number): string {
  let end = -1
  for (let line = 0; line < count; line++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1 || end === text.length - 1) return text
  }
  return text.slice(0, Math.max(0, end))
}

/** The last lines of a text. */
export function lastLines(text: string, count: number): string {
  let start = text.endsWith('\n') ? text.length - 1 : text.length
  for (let line = 0; line < count; line++) {
    if (start === 0) return text
    start = text.lastIndexOf('\n', start - 1)
    if (start === -1) return text
  }
  return text.slice(start + 1)
}

/** `a\nb\n` has two lines; the empty text has none. */
export function countLines(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; count++) {
    const end = text.indexOf('\n', at)
    at = end === -1 ? text.length : end + 1
  }
  return count
}

/** Without the empty ones. */
export function countFilledLines(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end === -1 ? text.length : end
    if (next > at) count++
    at = next + 1
  }
  return count
}

function isWithinPair(text: string, at: number): boolean {
  const isHigh = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return isHigh && (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

/** JSON needs two to six characters for some characters, so the length is found by binary search. */
function longestPart(text: string, part: typeof headOf, jsonCharacters: number): string {
  let fits = 0
  let tooMany = Math.min(text.length, Math.max(0, jsonCharacters)) + 1
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (JSON.stringify(part(text, middle)).length - 2 <= jsonCharacters) fits = middle
    else tooMany = middle
  }
  return part(text, fits)
}
