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
    if (range && selectionRange && isIn(selectionRange, at))
      return { first: range.start.line + 1, last: range.end.line + 1 }
  }
  return undefined
}

function isIn({ start, end }: NonNullable<SymbolRange['range']>, at: TextPlace): boolean {
  return !isBefore(at, start) && !isBefore(end, at)
}

function isBefore(one: TextPlace, other: TextPlace): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character)
}
