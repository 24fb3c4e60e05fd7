import type { Input } from '../keys/input.js'
import { bindings } from './bindings.js'
import { accepted, type Completer, chooseNext, isTyped, type Popup, popupFor } from './completion.js'
import { type EditState, emptyEdit } from './edit-state.js'
import { deleteBefore, folded, inserted, pasted, typed } from './edits.js'
import {
  acceptSearch,
  beginSearch,
  newer,
  older,
  type Search,
  searched,
  searchNewer,
  searchOlder,
  type Walk,
  type Walked,
} from './history.js'
import { indexAt, type Layout, layOutText, type MarkLabel } from './layout.js'
import { withLabels, withPastes } from './marks.js'

/** The input: the text being written, and the popup or search that is open. */
export interface EditorState {
  readonly edit: EditState
  readonly walk?: Walk
  readonly search?: Search
  readonly popup?: Popup
}

export const emptyEditor: EditorState = { edit: emptyEdit }

/** Everything that the editor needs from outside. */
export interface EditorWorld {
  /** Columns of a row of text. */
  readonly width: number
  /** Earlier prompts, the newest first. */
  readonly entries: readonly string[]
  readonly label: MarkLabel
  readonly complete?: Completer
}

/** The effect of a key besides its change to the text. */
export type Outcome =
  | { readonly kind: 'none' }
  /** The editor does not use this key. */
  | { readonly kind: 'passed' }
  /** `shown` has labels for long pastes. `steers`: the message goes into the running round at once. */
  | { readonly kind: 'submit'; readonly text: string; readonly shown: string; readonly steers?: true }

export interface Pressed {
  readonly state: EditorState
  readonly outcome: Outcome
}

/** Applies one input to the editor. */
export function press(state: EditorState, input: Input, world: EditorWorld): Pressed {
  if (state.search) return pressInSearch(state, state.search, input, world)
  switch (input.kind) {
    case 'text':
      return done(withPopup({ edit: typed(state.edit, input.text), ...popupOf(state) }, world))
    case 'paste':
      return done(withPopup({ edit: pasted(state.edit, input.text), ...popupOf(state) }, world))
    case 'key':
      return (
        (state.popup && pressInPopup(state, state.popup, input.name, world)) ??
        pressKey(state, input.name, world)
      )
    default:
      return input satisfies never
  }
}

/** The text as it would be sent. */
export function editorText({ edit }: EditorState): string {
  return withPastes(edit.text, edit.pastes)
}

/** The editor with another text, as if it were typed; undo brings the old one back. */
export function withText(state: EditorState, text: string): EditorState {
  const { edit } = state
  const past = [...edit.past, { text: edit.text, cursor: edit.cursor }]
  return { edit: { ...emptyEdit, kills: edit.kills, past, pastes: edit.pastes, text, cursor: text.length } }
}

/** More completions were found. An open list that waits for them shows them. */
export function refreshed(state: EditorState, world: EditorWorld): EditorState {
  return state.popup?.isPending ? withPopup(state, world) : state
}

/** The editor with texts inserted at the cursor, each as a mark. */
export function withFolded(state: EditorState, texts: readonly string[]): EditorState {
  return { edit: texts.reduce((edit, text) => inserted(folded(edit, text), ' '), state.edit) }
}

function pressKey(state: EditorState, name: string, world: EditorWorld): Pressed {
  switch (name) {
    case 'enter':
      return submit(state, world)
    case 'ctrl+s':
    case 'alt+s':
      return submitted(state, world, { steers: true })
    case 'up':
    case 'ctrl+p':
      return moveRow(state, -1, world)
    case 'down':
    case 'ctrl+n':
      return moveRow(state, 1, world)
    case 'ctrl+r':
      return done({ edit: state.edit, search: beginSearch(state.edit) })
    default:
      return pressBound(state, name, world)
  }
}

function pressBound(state: EditorState, name: string, world: EditorWorld): Pressed {
  const bound = Object.hasOwn(bindings, name) ? bindings[name] : undefined
  if (!bound || (name === 'ctrl+d' && state.edit.text === '')) return { state, outcome: { kind: 'passed' } }
  const edit = bound(state.edit)
  const isChanged = edit.text !== state.edit.text
  const walk = state.walk && !isChanged ? { walk: state.walk } : {}
  return done(
    withPopup({ edit, ...walk, ...(isChanged ? popupOf(state) : {}) }, isChanged ? world : undefined),
  )
}

/** A backslash before the cursor makes Enter a line end. */
function submit(state: EditorState, world: EditorWorld): Pressed {
  const { edit } = state
  const isContinued = edit.cursor === edit.text.length && /(?:^|[^\\])(?:\\\\)*\\$/.test(edit.text)
  if (isContinued) return done({ edit: inserted(deleteBefore(edit), '\n') })
  return submitted(state, world)
}

function submitted(state: EditorState, { label }: EditorWorld, how: { steers?: true } = {}): Pressed {
  const { edit } = state
  const text = withPastes(edit.text, edit.pastes)
  if (text.trim() === '') return { state, outcome: { kind: 'none' } }
  const shown = withLabels(edit.text, label)
  return {
    state: { edit: { ...emptyEdit, kills: edit.kills } },
    outcome: { kind: 'submit', text, shown, ...how },
  }
}

/** Up and down: between the rows as they are shown, and past the first and the last one through history. */
function moveRow(state: EditorState, step: -1 | 1, world: EditorWorld): Pressed {
  const { edit, walk } = state
  const layout = layOutText(edit, world.width, world.label)
  const row = layout.cursor.row + step
  if (row >= 0 && row < layout.rows.length) return done({ ...state, edit: inRow(edit, layout, row) })
  const walked = step === -1 ? older(edit, walk, world.entries) : walk && newer(edit, walk, world.entries)
  return walked ? done(stateOf(walked)) : { state, outcome: { kind: 'passed' } }
}

function inRow(edit: EditState, layout: Layout, row: number): EditState {
  const goal = edit.goal ?? layout.cursor.column
  return { ...edit, cursor: indexAt(layout, row, goal), goal, last: { kind: 'other' } }
}

function stateOf({ edit, walk }: Walked): EditorState {
  return walk ? { edit, walk } : { edit }
}

function pressInPopup(
  state: EditorState,
  popup: Popup,
  name: string,
  world: EditorWorld,
): Pressed | undefined {
  switch (name) {
    case 'up':
    case 'ctrl+p':
      return done({ ...state, popup: chooseNext(popup, -1) })
    case 'down':
    case 'ctrl+n':
      return done({ ...state, popup: chooseNext(popup, 1) })
    case 'escape':
      return done({ edit: state.edit })
    case 'enter':
      if (popup.items.length === 0) return undefined
      if (isTyped(state.edit, popup)) return undefined
      return done(withPopup({ edit: accepted(state.edit, popup) }, world))
    case 'tab':
      if (popup.items.length === 0) return done(state)
      return done(withPopup({ edit: accepted(state.edit, popup) }, world))
    default:
      return undefined
  }
}

function pressInSearch(state: EditorState, search: Search, input: Input, world: EditorWorld): Pressed {
  const { entries } = world
  if (input.kind !== 'key') {
    const query = search.query + (input.kind === 'text' ? input.text : (input.text.split('\n', 1)[0] ?? ''))
    return done({ edit: state.edit, search: searched(search, query, entries) })
  }
  switch (input.name) {
    case 'backspace':
    case 'ctrl+h':
      return done({ edit: state.edit, search: searched(search, withoutLast(search.query), entries) })
    case 'ctrl+r':
    case 'up':
      return done({ edit: state.edit, search: searchOlder(search, entries) })
    case 'ctrl+s':
    case 'down':
      return done({ edit: state.edit, search: searchNewer(search, entries) })
    case 'escape':
    case 'ctrl+g':
    case 'ctrl+c':
      return done({ edit: search.draft })
    case 'enter':
    case 'tab':
      return done({ edit: acceptSearch(search, entries) })
    default:
      // Any other key ends the search and edits the entry that was found.
      return press({ edit: acceptSearch(search, entries) }, input, world)
  }
}

function withoutLast(query: string): string {
  return [...query].slice(0, -1).join('')
}

function popupOf({ popup }: EditorState): Pick<EditorState, 'popup'> {
  return popup ? { popup } : {}
}

function withPopup({ popup: before, ...state }: EditorState, world: EditorWorld | undefined): EditorState {
  const popup = world?.complete && popupFor(state.edit, world.complete, before)
  return popup ? { ...state, popup } : state
}

function done(state: EditorState): Pressed {
  return { state, outcome: { kind: 'none' } }
}
