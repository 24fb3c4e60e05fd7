import type { LineRange } from '@mutsumi/schema'

/** The lines of a text: where they begin is found once, so that any number of ranges costs little more. */
export class TextLines {
  readonly #text: string
  readonly #starts: readonly number[]

  constructor(text: string) {
    this.#text = text
    this.#starts = lineStarts(text)
  }

  /** `a\nb\n` has two lines; the empty text has none. */
  get count(): number {
    return this.#starts.length
  }

  /** The lines there are of a range, without the last one's line end; undefined where it begins outside the text. */
  slice({ start, end }: LineRange): string | undefined {
    if (start < 1 || end < start || start > this.count) return undefined
    const lines = this.#text.slice(this.#starts[start - 1], this.#starts[end])
    const lineEnd = lines.endsWith('\r\n') ? 2 : lines.endsWith('\n') ? 1 : 0
    return lineEnd === 0 ? lines : lines.slice(0, -lineEnd)
  }
}

function lineStarts(text: string): number[] {
  const starts: number[] = []
  for (let at = 0; at < text.length; ) {
    starts.push(at)
    const end = text.indexOf('\n', at)
    if (end === -1) break
    at = end + 1
  }
  return starts
}
