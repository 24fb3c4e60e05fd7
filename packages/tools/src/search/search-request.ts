import type { ReadScope } from '../workspace/allowed-folders.js'
import type { IncludeFilter } from './include-filter.js'
import type { SearchStart } from './locate.js'

/** What either engine, ripgrep or our own, is asked. */
export interface SearchRequest {
  /** Real: the rules of `.gitignore` files hold from here down. */
  readonly root: string
  /** Where to look, in the order of their paths, none inside another. */
  readonly places: readonly SearchStart[]
  /** A Rust regular expression for one line. */
  readonly pattern: string
  readonly include: IncludeFilter
  readonly caseSensitive: boolean
  readonly contextLines: number
  /** How many matching lines are wanted. Engines may give more, and never less of the first ones. */
  readonly limit: number
  /** How many are gathered to count them; of more than these, engines count without gathering. */
  readonly gathered: number
  readonly scope: ReadScope
  readonly signal?: AbortSignal
}

/** A line that matches, or that stands near one. */
export interface FoundLine {
  /** Counted from 1. */
  readonly number: number
  /** Without its terminator; a long line is cut around its first match. */
  readonly text: string
  readonly isMatch: boolean
}

export interface FoundFile {
  /** Absolute and real. */
  readonly path: string
  /** In the order of the file. */
  readonly lines: readonly FoundLine[]
}

export type SearchAnswer =
  | {
      readonly kind: 'found'
      readonly files: readonly FoundFile[]
      /** False where something was too large to be looked at. */
      readonly complete: boolean
      /** How many lines match in all; absent where counting them would have taken too long. */
      readonly total?: number
    }
  | { readonly kind: 'bad-pattern'; readonly message: string }
  | { readonly kind: 'stopped'; readonly reason: 'cancelled' | 'timeout' }
  /** The engine itself could not be started. */
  | { readonly kind: 'unavailable'; readonly message: string }

/** Both engines leave larger files unread, unless ripgrep is given one by its name. */
export const largestFile = 64 * 1024 * 1024

/** As much as ripgrep reads in good time of one file: a sparse one may claim any size. */
export const largestNamedFile = 1024 * 1024 * 1024

export function countMatches(files: readonly FoundFile[]): number {
  return files.reduce((count, { lines }) => count + lines.filter(({ isMatch }) => isMatch).length, 0)
}

/** What both engines say of a pattern that they will not build. */
export const tooLargePattern =
  'it is too large: its counted repetitions multiply to more than a search may build; use smaller counts, or * and +'
