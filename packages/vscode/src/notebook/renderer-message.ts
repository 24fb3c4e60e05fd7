/** A message from the renderer to the extension. */
export type RendererMessage =
  | {
      readonly type: 'answer'
      readonly question: string
      readonly answer: 'once' | 'session' | 'always' | 'no'
    }
  | { readonly type: 'diff'; readonly question: string }
  | { readonly type: 'details'; readonly cell: string; readonly call: string }
  /** A person follows a link to a file. */
  | { readonly type: 'open'; readonly path: string; readonly line?: number }
  /** A running round has become taller. */
  | { readonly type: 'grew' }
  /** A person turned the wheel. */
  | { readonly type: 'scrolled'; readonly direction: 'up' | 'down' }
