import { graphemeAfter, graphemeBefore, lineEnd, lineStart, wordAfter, wordBefore } from './boundaries.js'
import { changed, type EditState, moved } from './edit-state.js'
import { hasMark, isFolded, markOf, withoutMarks } from './marks.js'

/** A key's change to the text. */
export type Edit = (state: EditState) => EditState

export function typed(state: EditState, text: string): EditState {
  return inserted(state, withoutMarks(text), { kind: 'typed' })
}

/** Inserts a paste. A long one becomes a mark. */
export function pasted(state: EditState, text: string): EditState {
  const clean = withoutMarks(text)
  return isFolded(clean) ? folded(state, clean) : inserted(state, clean)
}

/** Inserts a text as a mark: one character that represents it. */
export function folded(state: EditState, text: string): EditState {
  if (!hasMark(state.pastes.length)) return inserted(state, text)
  return inserted({ ...state, pastes: [...state.pastes, text] }, markOf(state.pastes.length))
}

export function inserted(state: EditState, text: string, last?: EditState['last']): EditState {
  return replaced(state, { from: state.cursor, to: state.cursor, text }, last)
}

/** A part of the text, and the text that replaces it. */
export interface Replacement {
  readonly from: number
  readonly to: number
  readonly text: string
}

export function replaced(
  state: EditState,
  { from, to, text }: Replacement,
  last?: EditState['last'],
): EditState {
  const whole = state.text.slice(0, from) + text + state.text.slice(to)
  return changed(state, { text: whole, cursor: from + text.length }, last)
}

export const newline: Edit = (state) => inserted(state, '\n')

export const deleteBefore: Edit = (state) =>
  replaced(state, { from: graphemeBefore(state.text, state.cursor), to: state.cursor, text: '' })
export const deleteAfter: Edit = (state) =>
  replaced(state, { from: state.cursor, to: graphemeAfter(state.text, state.cursor), text: '' })

export const left: Edit = (state) => moved(state, graphemeBefore(state.text, state.cursor))
export const right: Edit = (state) => moved(state, graphemeAfter(state.text, state.cursor))
export const wordLeft: Edit = (state) => moved(state, wordBefore(state.text, state.cursor))
export const wordRight: Edit = (state) => moved(state, wordAfter(state.text, state.cursor))
export const toLineStart: Edit = (state) => moved(state, lineStart(state.text, state.cursor))
export const toLineEnd: Edit = (state) => moved(state, lineEnd(state.text, state.cursor))
export const toStart: Edit = (state) => moved(state, 0)
export const toEnd: Edit = (state) => moved(state, state.text.length)

/** At the end of a line, the line end itself. */
export const killLine: Edit = (state) => {
  const end = lineEnd(state.text, state.cursor)
  return killed(state, state.cursor, end === state.cursor ? Math.min(end + 1, state.text.length) : end)
}
export const killLineBefore: Edit = (state) => {
  const start = lineStart(state.text, state.cursor)
  return killed(state, start === state.cursor ? Math.max(0, start - 1) : start, state.cursor)
}
export const killWordAfter: Edit = (state) => killed(state, state.cursor, wordAfter(state.text, state.cursor))
export const killWordBefore: Edit = (state) =>
  killed(state, wordBefore(state.text, state.cursor), state.cursor)
/** Up to the space before: a path or a name with signs in it is one word. */
export const killBlankWordBefore: Edit = (state) => {
  const [word = ''] = /\S*\s*$/.exec(state.text.slice(0, state.cursor)) ?? []
  return killed(state, state.cursor - word.length, state.cursor)
}

const rememberedKills = 30

/** Cuts a part. Several cuts in a row, forwards or backwards, become one text. */
function killed(state: EditState, from: number, to: number): EditState {
  if (from === to) return state
  const text = state.text.slice(from, to)
  const isForward = from === state.cursor
  const [newest = '', ...older] = state.kills
  const kills =
    state.last.kind === 'killed'
      ? [isForward ? newest + text : text + newest, ...older]
      : [text, ...state.kills].slice(0, rememberedKills)
  return replaced({ ...state, kills }, { from, to, text: '' }, { kind: 'killed' })
}

export const yank: Edit = (state) => {
  const [newest] = state.kills
  return newest === undefined
    ? state
    : inserted(state, newest, { kind: 'yanked', kill: 0, from: state.cursor })
}

/** Replaces the text that was just yanked with the one cut before it. */
export const yankOlder: Edit = (state) => {
  if (state.last.kind !== 'yanked') return state
  const { from } = state.last
  const kill = (state.last.kill + 1) % state.kills.length
  const text = state.kills[kill] ?? ''
  return replaced(state, { from, to: state.cursor, text }, { kind: 'yanked', kill, from })
}

/** The two characters around the cursor change places. */
export const transpose: Edit = (state) => {
  const { text } = state
  const isAtEnd = state.cursor === lineEnd(text, state.cursor)
  const middle = isAtEnd ? graphemeBefore(text, state.cursor) : state.cursor
  const from = graphemeBefore(text, middle)
  const to = graphemeAfter(text, middle)
  if (from === middle || to === middle || text.slice(from, to).includes('\n')) return state
  return replaced(state, { from, to, text: text.slice(middle, to) + text.slice(from, middle) })
}
