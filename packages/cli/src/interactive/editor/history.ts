import { changed, type EditState, emptyEdit } from './edit-state.js'

/** A walk through earlier prompts. */
export interface Walk {
  /** The index of the entry that is shown. 0 is the newest. */
  readonly back: number
  /** The text being written when the walk began. */
  readonly draft: EditState
}

/** A search through earlier prompts, from the newest back. */
export interface Search {
  readonly query: string
  /** The index of the entry that was found. 0 is the newest. Undefined if no entry has the words. */
  readonly back: number | undefined
  readonly draft: EditState
}

export interface Walked {
  readonly edit: EditState
  readonly walk?: Walk
}

/** One entry further back; undefined if there is none. `entries` begins with the newest. */
export function older(
  edit: EditState,
  walk: Walk | undefined,
  entries: readonly string[],
): Walked | undefined {
  const back = (walk?.back ?? -1) + 1
  const entry = entries[back]
  if (entry === undefined) return undefined
  return { edit: shown(edit, entry), walk: { back, draft: walk?.draft ?? edit } }
}

/** One entry forward. After the newest entry comes the text that was being written. */
export function newer(edit: EditState, walk: Walk, entries: readonly string[]): Walked {
  const entry = walk.back === 0 ? undefined : entries[walk.back - 1]
  if (entry === undefined) return { edit: { ...walk.draft, kills: edit.kills } }
  return { edit: shown(edit, entry), walk: { ...walk, back: walk.back - 1 } }
}

function shown(edit: EditState, text: string): EditState {
  return { ...emptyEdit, kills: edit.kills, text, cursor: text.length }
}

export function beginSearch(edit: EditState): Search {
  return { query: '', back: undefined, draft: edit }
}

/** The same search for other words: the newest entry that has them. */
export function searched(search: Search, query: string, entries: readonly string[]): Search {
  return { ...search, query, back: query === '' ? undefined : found(entries, query, 0) }
}

/** The next older entry with the words. If there is none, the search stays at its entry. */
export function searchOlder(search: Search, entries: readonly string[]): Search {
  return { ...search, back: found(entries, search.query, (search.back ?? -1) + 1) ?? search.back }
}

export function searchNewer(search: Search, entries: readonly string[]): Search {
  const newest = entries.slice(0, search.back ?? 0)
  const back = newest.findLastIndex((entry) => matches(entry, search.query))
  return back === -1 ? search : { ...search, back }
}

function found(entries: readonly string[], query: string, from: number): number | undefined {
  const at = entries.findIndex((entry, index) => index >= from && matches(entry, query))
  return at === -1 ? undefined : at
}

/** Letters match in either case, unless the query has capitals. */
function matches(entry: string, query: string): boolean {
  return query === query.toLowerCase() ? entry.toLowerCase().includes(query) : entry.includes(query)
}

/** The entry that was found, ready to be edited. If none was found, the text that was being written. */
export function acceptSearch({ back, draft }: Search, entries: readonly string[]): EditState {
  const entry = back === undefined ? undefined : entries[back]
  return entry === undefined ? draft : changed(draft, { text: entry, cursor: entry.length })
}
