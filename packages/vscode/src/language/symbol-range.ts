import type { ReferencedLines } from './workspace-path.js'

interface TextPlace {
  readonly line: number
  readonly character: number
}

/** A symbol of a file as a language's extension describes it. Lines count from 0. */
export interface SymbolRange {
  /** The name of the symbol. */
  readonly selectionRange?: { readonly start: TextPlace; readonly end: TextPlace }
  readonly range?: { readonly start: TextPlace; readonly end: TextPlace }
  readonly children?: readonly SymbolRange[]
}

/** The lines of the symbol whose name is at a place; undefined if there is none. */
export function innermost(symbols: readonly SymbolRange[], at: TextPlace): ReferencedLines | undefined {
  for (const { range, selectionRange, children = [] } of symbols) {
    const inner = innermost(children, at)
    if (inner) return inner
    if (range && selectionRange && isIn(selectionRange, at)) return linesOfRange(range)
  }
  return undefined
}

/** The lines of a range, from 1. A range that ends before the first character of a line does not contain that line. */
export function linesOfRange({ start, end }: NonNullable<SymbolRange['range']>): ReferencedLines {
  const endsBefore = end.character === 0 && end.line > start.line
  return { first: start.line + 1, last: endsBefore ? end.line : end.line + 1 }
}

function isIn({ start, end }: NonNullable<SymbolRange['range']>, at: TextPlace): boolean {
  return !isBefore(at, start) && !isBefore(end, at)
}

function isBefore(one: TextPlace, other: TextPlace): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character)
}
