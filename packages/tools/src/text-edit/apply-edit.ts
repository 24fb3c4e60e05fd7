import { outcomeText } from '../reasons/outcome.js'
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
    if (edited.kind === 'refused') return { ...edited, reason: named(edited.reason, index, edits.length) }
    current = edited.file
    replacements += edited.replacements
  }
  return { kind: 'edited', file: current, replacements }
}

/** Replaces `old_string` if it occurs exactly once, or every occurrence. */
export function applyEdit(file: TextFile, edit: TextEdit): EditedText {
  const wanted = toLineFeeds(edit.old_string)
  const text = toLineFeeds(edit.new_string)
  if (wanted === text) return refuse(outcomeText('same-strings'))
  const places = edit.replace_all
    ? placesOf(file.text, wanted, wanted.length)
    : placesOf(file.text, wanted, 1)
  if (places.length === 0) return refuse(outcomeText('old-string-missing', explainMiss(file.text, wanted)))
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
  return outcomeText('old-string-repeated', places.length, `${lines.join(', ')}${more}`)
}

/** The reason with the number of its edit, if there are several. */
function named(reason: string, index: number, count: number): string {
  return count === 1 ? reason : outcomeText('edit-of', index + 1, count, reason)
}

function refuse(reason: string): EditedText {
  return { kind: 'refused', reason }
}
