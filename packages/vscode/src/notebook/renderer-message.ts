/** A message from the renderer to the extension. */
export type RendererMessage =
  | { readonly type: 'answer'; readonly call: string; readonly answer: 'once' | 'session' | 'always' | 'no' }
  | { readonly type: 'diff'; readonly call: string }
  | { readonly type: 'details'; readonly cell: string; readonly call: string }
