/** A line of a text with a match: `line.slice(from, to)` is the part that matches. */
export interface MatchedLine {
  readonly line: string
  readonly from: number
  readonly to: number
}

/** How much of a line is shown around its match, in UTF-16 units. */
const shownLength = 200

/** The words to search for: matched literally, in any letter case. */
export class TextQuery {
  readonly #words: RegExp
  readonly #written: RegExp

  constructor(words: string) {
    if (words.trim() === '') throw new TypeError('there are no words to search for')
    const asJson = (text: string) => JSON.stringify(text).slice(1, -1)
    const once = asJson(words)
    // A result is JSON inside the JSON of its line, so its text is escaped twice.
    const spellings = [...new Set([once, asJson(once)])]
    this.#words = new RegExp(literal(words), 'giu')
    this.#written = new RegExp(spellings.map(literal).join('|'), 'iu')
  }

  /** Whether this line of a file could contain the words. Most lines need not be parsed. */
  mayBeIn(line: string): boolean {
    return this.#written.test(line)
  }

  /** The lines of a text that contain the words, each once. Time is linear in the text. */
  *linesIn(text: string): Generator<MatchedLine> {
    this.#words.lastIndex = 0
    for (let found = this.#words.exec(text); found; found = this.#words.exec(text)) {
      const start = text.lastIndexOf('\n', found.index - 1) + 1
      const next = text.indexOf('\n', found.index)
      const end = next === -1 ? text.length : next
      const to = Math.min(found.index + found[0].length, end)
      yield clipped(text.slice(start, end), found.index - start, to - start)
      this.#words.lastIndex = Math.max(end, found.index + found[0].length)
    }
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** A long line is cut around its match, without splitting a character. */
function clipped(line: string, from: number, to: number): MatchedLine {
  if (line.length <= shownLength) return { line, from, to }
  const room = Math.max(0, shownLength - (to - from))
  const start = boundary(line, Math.max(0, Math.min(from - Math.floor(room / 3), line.length - shownLength)))
  const end = boundary(line, Math.min(line.length, Math.max(to, start + shownLength)))
  const before = start === 0 ? '' : '…'
  const shift = before.length - start
  const shown = before + line.slice(start, end) + (end === line.length ? '' : '…')
  return { line: shown, from: from + shift, to: to + shift }
}

function boundary(line: string, at: number): number {
  return /[\udc00-\udfff]/.test(line.charAt(at)) && /[\ud800-\udbff]/.test(line.charAt(at - 1)) ? at - 1 : at
}
