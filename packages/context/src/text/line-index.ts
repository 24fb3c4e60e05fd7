export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** Turns offsets into lines and columns, both from 1. The lines are counted once, on the first call. */
export class LineIndex {
  readonly #text: string
  readonly #firstLine: number
  #starts: number[] | undefined

  /** `firstLine` is the number of the text's first line, if the text is a part of a file. */
  constructor(text: string, firstLine = 1) {
    this.#text = text
    this.#firstLine = firstLine
  }

  locate(offset: number): TextPosition {
    this.#starts ??= lineStarts(this.#text)
    const starts = this.#starts
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + this.#firstLine, column: offset - (starts[low] ?? 0) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
