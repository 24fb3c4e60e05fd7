import type { ReadScope } from '../workspace/allowed-folders.js'
import type { IncludeFilter } from './include-filter.js'
import type { SearchStart } from './locate.js'

/** A request to either engine, ripgrep or our own. */
export interface SearchRequest {
  /** A real path: `.gitignore` files count from here down. */
  readonly root: string
  /** The places to search, in the order of their paths, none inside another. */
  readonly places: readonly SearchStart[]
  /** A Rust regular expression for one line. */
  readonly pattern: string
  readonly include: IncludeFilter
  readonly caseSensitive: boolean
  readonly contextLines: number
  /** How many matching lines are requested. Engines may return more, but always include the first ones. */
  readonly limit: number
  /** How many matches are collected. Beyond this number, engines only count them. */
  readonly gathered: number
  readonly scope: ReadScope
  readonly signal?: AbortSignal
}

/** A line that matches, or a context line. */
export interface FoundLine {
  /** Counted from 1. */
  readonly number: number
  /** Without its line end; a long line is cut around its first match. */
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
      /** False if something was too large to search. */
      readonly complete: boolean
      /** The total number of matching lines; absent if counting them would have taken too long. */
      readonly total?: number
    }
  | { readonly kind: 'bad-pattern'; readonly message: string }
  | { readonly kind: 'stopped'; readonly reason: 'cancelled' | 'timeout' }
  /** The engine itself could not be started. */
  | { readonly kind: 'unavailable'; readonly message: string }

/** Both engines skip larger files, unless ripgrep gets one by name. */
export const largestFile = 64 * 1024 * 1024

/** How much of one file ripgrep can read quickly. A sparse file may claim any size. */
export const largestNamedFile = 1024 * 1024 * 1024

export function countMatches(files: readonly FoundFile[]): number {
  return files.reduce((count, { lines }) => count + lines.filter(({ isMatch }) => isMatch).length, 0)
}

/** The error of both engines for a pattern that is too large. */
export const tooLargePattern =
  'it is too large: its counted repetitions multiply to more than a search may build; use smaller counts, or * and +'
