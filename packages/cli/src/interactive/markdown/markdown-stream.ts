import { type Line, span } from '../text/span.js'
import { visibleLines } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import { type Block, BlockSplitter } from './block-splitter.js'
import type { Highlighter } from './highlight.js'

/** Renders blocks. The caller passes it in, because it is loaded only when the first text comes. */
export interface MarkdownRenderer {
  renderText(text: string, width: number): Line[]
  highlighterFor(language: string): Highlighter
}

/** So many characters of an open block are rendered to show its end. */
const shownTail = 1500

/** Turns a Markdown text that comes in pieces into finished lines and the end of the open block. */
export class MarkdownStream {
  readonly #renderer: MarkdownRenderer
  readonly #splitter = new BlockSplitter()
  #highlight: Highlighter = plain
  /** The beginning of the last line. */
  #partial = ''

  constructor(renderer: MarkdownRenderer) {
    this.#renderer = renderer
  }

  /** Takes a piece of the text. Returns the lines that it finished. */
  push(text: string, width: number): Line[] {
    const [first = '', ...rest] = text.split('\n')
    this.#partial += first
    return rest.flatMap((next) => {
      const line = this.#partial
      this.#partial = next
      return this.#finish(line, width)
    })
  }

  /** The text is over. Returns the remaining lines. */
  end(width: number): Line[] {
    const last = this.#partial
    this.#partial = ''
    const lines = last === '' ? [] : this.#finish(last, width)
    return [...lines, ...this.#show(this.#splitter.end(), width)]
  }

  /** The end of the open block, in at most so many rows. */
  tail(width: number, rows: number): Line[] {
    const { open } = this.#splitter
    const [partial = ''] = visibleLines(this.#partial.slice(-shownTail))
    if (open.kind === 'code') return wrap([span(partial)], width).slice(-rows)
    const lines = open.kind === 'text' ? [...endOf(open.lines), partial] : [partial]
    const text = lines.join('\n').trimEnd()
    if (text === '') return []
    const shown = this.#renderer.renderText(text, width).flatMap((line) => wrap(line, width))
    const isApart = open.kind === 'none' && open.isApart
    return [...(isApart ? [[]] : []), ...shown].slice(-rows)
  }

  /** Takes a complete line and makes it safe for the terminal. */
  #finish(line: string, width: number): Line[] {
    const [visible = ''] = visibleLines(line.replace(/\r$/, ''))
    return this.#show(this.#splitter.take(visible), width)
  }

  #show(blocks: readonly Block[], width: number): Line[] {
    return blocks.flatMap((block): Line[] => {
      switch (block.kind) {
        case 'blank':
          return [[]]
        case 'text':
          return this.#renderer.renderText(block.text, width)
        case 'fence':
          this.#highlight = this.#renderer.highlighterFor(block.language)
          return [[span(block.text, { dim: true })]]
        case 'code':
          return [this.#highlight(block.text)]
        case 'fence-end':
          return [[span(block.text, { dim: true })]]
        default:
          return block satisfies never
      }
    })
  }
}

const plain: Highlighter = (line) => [span(line)]

/** The last lines that together are short enough. */
function endOf(lines: readonly string[]): readonly string[] {
  let length = 0
  let from = lines.length
  while (from > 0 && length < shownTail) length += lines[--from]?.length ?? 0
  return lines.slice(from)
}
