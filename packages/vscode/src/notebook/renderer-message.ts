/** A message from the renderer to the extension. */
export type RendererMessage =
  | {
      readonly type: 'answer'
      readonly question: string
      readonly answer: 'once' | 'session' | 'always' | 'no'
    }
  | { readonly type: 'diff'; readonly question: string }
  | { readonly type: 'details'; readonly cell: string; readonly call: string }
