import type { LineRange } from '@mutsumi/schema'

/** The lines of a text. Their beginnings are found once, so that many ranges cost little more than one. */
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

  /** The existing lines of a range, without the last line end; undefined if the range begins outside the text. */
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
