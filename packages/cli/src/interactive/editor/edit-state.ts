/** A text and where its cursor is. */
export interface Draft {
  readonly text: string
  readonly cursor: number
}

/** The text being written, with everything that undo, yank and moves between rows remember. */
export interface EditState extends Draft {
  /** Long pastes, by the number of their mark. */
  readonly pastes: readonly string[]
  readonly past: readonly Draft[]
  readonly future: readonly Draft[]
  /** Texts that were cut, the newest first. */
  readonly kills: readonly string[]
  /** The effect of the last key. Some keys continue it. */
  readonly last: LastAct
  /** The column that moves up and down try to keep. */
  readonly goal?: number
}

export type LastAct =
  | { readonly kind: 'other' }
  | { readonly kind: 'typed' }
  | { readonly kind: 'killed' }
  /** `kill` is the cut text that was inserted, and `from` its place. */
  | { readonly kind: 'yanked'; readonly kill: number; readonly from: number }

export const emptyEdit: EditState = {
  text: '',
  cursor: 0,
  pastes: [],
  past: [],
  future: [],
  kills: [],
  last: { kind: 'other' },
}

const rememberedDrafts = 200

/** The state with another text. Undo brings the old one back. */
export function changed(state: EditState, draft: Draft, last: LastAct = { kind: 'other' }): EditState {
  if (draft.text === state.text) return moved(state, draft.cursor)
  // A run of typed characters is undone at once, word by word.
  const isGoingOn =
    last.kind === 'typed' && state.last.kind === 'typed' && !/\s$/.test(state.text.slice(0, state.cursor))
  const past = isGoingOn ? state.past : [...state.past, { text: state.text, cursor: state.cursor }]
  return { ...withoutGoal(state), ...draft, past: past.slice(-rememberedDrafts), future: [], last }
}

export function moved(state: EditState, cursor: number): EditState {
  return { ...withoutGoal(state), cursor, last: { kind: 'other' } }
}

export function withoutGoal({ goal: _, ...state }: EditState): EditState {
  return state
}

export function undone(state: EditState): EditState {
  const before = state.past.at(-1)
  if (!before) return state
  const future = [...state.future, { text: state.text, cursor: state.cursor }]
  return { ...withoutGoal(state), ...before, past: state.past.slice(0, -1), future, last: { kind: 'other' } }
}

export function redone(state: EditState): EditState {
  const after = state.future.at(-1)
  if (!after) return state
  const past = [...state.past, { text: state.text, cursor: state.cursor }]
  return { ...withoutGoal(state), ...after, past, future: state.future.slice(0, -1), last: { kind: 'other' } }
}
