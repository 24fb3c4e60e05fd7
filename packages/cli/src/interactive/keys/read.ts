import type { Input } from './input.js'

/** The input that begins at a place in a terminal's bytes, and where it ends. */
export type Read =
  | { readonly kind: 'input'; readonly input: Input; readonly end: number }
  /** A reply of the terminal, or a key that we have no name for. */
  | { readonly kind: 'ignored'; readonly end: number }
  | { readonly kind: 'paste-start'; readonly end: number }
  | { readonly kind: 'paste-part'; readonly text: string; readonly end: number }
  | { readonly kind: 'paste-end'; readonly end: number }
  /** The rest of it has not come yet. */
  | { readonly kind: 'cut' }
