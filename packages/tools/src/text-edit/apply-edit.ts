import { countLineFeeds, toLineFeeds } from './line-endings.js'
import { explainMiss } from './near-match.js'
import { replaceSpans } from './replace-spans.js'
import type { TextFile } from './text-file.js'

/** One replacement that the model requested. */
export interface TextEdit {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all: boolean
}

export type EditedText =
  | { readonly kind: 'edited'; readonly file: TextFile; readonly replacements: number }
  | { readonly kind: 'refused'; readonly reason: string }

/** Applies edits one after the other, each to the result of the previous one: all or none. */
export function applyEdits(file: TextFile, edits: readonly TextEdit[]): EditedText {
  let current = file
  let replacements = 0
  for (const [index, edit] of edits.entries()) {
    const edited = applyEdit(current, edit)
    if (edited.kind === 'refused') return { ...edited, reason: nameEdit(index, edits.length) + edited.reason }
    current = edited.file
    replacements += edited.replacements
  }
  return { kind: 'edited', file: current, replacements }
}

/** Replaces `old_string` if it occurs exactly once, or every occurrence. */
export function applyEdit(file: TextFile, edit: TextEdit): EditedText {
  const wanted = toLineFeeds(edit.old_string)
  const text = toLineFeeds(edit.new_string)
  if (wanted === text) return refuse('old_string and new_string are the same')
  const places = edit.replace_all
    ? placesOf(file.text, wanted, wanted.length)
    : placesOf(file.text, wanted, 1)
  if (places.length === 0) return refuse(`old_string was not found; ${explainMiss(file.text, wanted)}`)
  if (places.length > 1 && !edit.replace_all) return refuse(describePlaces(file.text, places))
  const spans = places.map((from) => ({ from, to: from + wanted.length, text }))
  return { kind: 'edited', file: replaceSpans(file, spans), replacements: places.length }
}

/** `step` 1 finds overlapping places too: `aa` in `aaa` is not one place. */
function placesOf(text: string, wanted: string, step: number): number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) places.push(at)
  return places
}

/** More line numbers are not helpful. */
const shownPlaces = 5

function describePlaces(text: string, places: readonly number[]): string {
  const lines = places.slice(0, shownPlaces).map((at) => countLineFeeds(text, 0, at) + 1)
  const more = places.length > shownPlaces ? ', …' : ''
  const where = `old_string was found ${places.length} times (lines ${lines.join(', ')}${more})`
  return `${where}; give more of the text around the one you mean, or set replace_all`
}

function nameEdit(index: number, count: number): string {
  return count === 1 ? '' : `edit ${index + 1} of ${count}: `
}

function refuse(reason: string): EditedText {
  return { kind: 'refused', reason }
}
