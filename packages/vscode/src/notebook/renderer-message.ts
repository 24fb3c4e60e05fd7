import type { Remedy } from './remedies.js'

/** A message from the renderer to the extension. */
export type RendererMessage =
  | {
      readonly type: 'answer'
      readonly question: string
      readonly answer: 'once' | 'session' | 'always' | 'no'
    }
  /** Refuse, and ask the person why. */
  | { readonly type: 'refuse'; readonly question: string }
  /** The buttons of a question came into view, or left it. */
  | { readonly type: 'seen'; readonly question: string; readonly seen: boolean }
  | { readonly type: 'diff'; readonly question: string }
  | { readonly type: 'details'; readonly cell: string; readonly call: string }
  /** A person presses a button below a failed round. */
  | { readonly type: 'remedy'; readonly remedy: Remedy; readonly cell: string }
  /** A person follows a link to a file. */
  | { readonly type: 'open'; readonly path: string; readonly line?: number }
  /** A running round has become taller. */
  | { readonly type: 'grew' }
  /** A person turned the wheel. */
  | { readonly type: 'scrolled'; readonly direction: 'up' | 'down' }
