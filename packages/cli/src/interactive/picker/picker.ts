import type { Input } from '../keys/input.js'

/** Something that can be chosen. */
export interface Choice {
  readonly label: string
  readonly detail?: string
  /** More words that find it, besides those that are shown. */
  readonly keywords?: string
}

/** A list to choose from: type to filter it, arrows move, Enter takes, Esc closes. */
export interface Picker {
  readonly title: string
  readonly choices: readonly Choice[]
  /** Results of a search elsewhere. They follow the choices. */
  readonly found: readonly Choice[]
  readonly query: string
  /** Indexes into `choices`, then `found`, of those that have all words of the query. */
  readonly matches: readonly number[]
  /** The index of the marked match. */
  readonly marked: number
  /** A short list: the user chooses by number and cannot filter. */
  readonly isNumbered: boolean
}

export interface PickerOptions {
  readonly title: string
  readonly choices: readonly Choice[]
  /** The index of the choice that is marked at first. */
  readonly marked?: number
  readonly isNumbered?: boolean
  /** The filter at first. */
  readonly query?: string
}

export type Picked =
  | { readonly kind: 'open'; readonly picker: Picker }
  /** `at` is an index into `choices`, then `found`. */
  | { readonly kind: 'picked'; readonly at: number }
  | { readonly kind: 'closed' }
  /** The list does not use this key. */
  | { readonly kind: 'passed' }

export function openPicker({
  title,
  choices,
  marked = 0,
  isNumbered = false,
  query = '',
}: PickerOptions): Picker {
  return matched({ title, choices, found: [], query, matches: [], marked, isNumbered })
}

/** Applies one input to a picker. */
export function pressPicker(picker: Picker, input: Input): Picked {
  if (picker.isNumbered && !isAnswer(picker, input)) return { kind: 'passed' }
  if (input.kind !== 'key') return typed(picker, input.text.split('\n', 1)[0] ?? '')
  switch (input.name) {
    case 'up':
    case 'ctrl+p':
    case 'shift+tab':
      return open(moved(picker, -1))
    case 'down':
    case 'ctrl+n':
    case 'tab':
      return open(moved(picker, 1))
    case 'pageup':
      return open(jumped(picker, -pageRows))
    case 'pagedown':
      return open(jumped(picker, pageRows))
    case 'home':
      return open({ ...picker, marked: 0 })
    case 'end':
      return open({ ...picker, marked: Math.max(0, picker.matches.length - 1) })
    case 'backspace':
    case 'ctrl+h':
      return open(filtered(picker, [...picker.query].slice(0, -1).join('')))
    case 'ctrl+w':
      return open(filtered(picker, picker.query.replace(/\S*\s*$/, '')))
    case 'ctrl+u':
      return open(filtered(picker, ''))
    case 'enter':
      return chosen(picker, picker.marked)
    case 'escape':
    case 'ctrl+c':
      return { kind: 'closed' }
    default:
      return open(picker)
  }
}

/** Adds the results of a search. Results for an older query come too late and are ignored. */
export function withFound(picker: Picker, query: string, found: readonly Choice[]): Picker {
  return query === picker.query ? matched({ ...picker, found }) : picker
}

/** A choice by its index among all. */
export function choiceAt({ choices, found }: Picker, at: number): Choice | undefined {
  return choices[at] ?? found[at - choices.length]
}

/** The indexes of the choices that have all the words, in upper or lower case. */
export function matchesOf(choices: readonly Choice[], query: string): number[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return choices.flatMap(({ label, detail = '', keywords = '' }, index) => {
    const text = `${label} ${detail} ${keywords}`.toLowerCase()
    return words.every((word) => text.includes(word)) ? [index] : []
  })
}

const pageRows = 8

/** A numbered list takes its numbers and no other text, so that nothing typed is lost. */
function isAnswer({ matches }: Picker, input: Input): boolean {
  if (input.kind === 'key') return listKeys.has(input.name)
  return input.kind === 'text' && /^[1-9]$/.test(input.text) && Number(input.text) <= matches.length
}

const listKeys: ReadonlySet<string> = new Set([
  ...['up', 'ctrl+p', 'down', 'ctrl+n', 'tab', 'pageup', 'pagedown', 'home', 'end'],
  ...['enter', 'escape', 'ctrl+c'],
])

function typed(picker: Picker, text: string): Picked {
  return picker.isNumbered ? chosen(picker, Number(text) - 1) : open(filtered(picker, picker.query + text))
}

function filtered(picker: Picker, query: string): Picker {
  return query === picker.query ? picker : matched({ ...picker, query, marked: 0 })
}

function matched(picker: Picker): Picker {
  const matches = matchesOf([...picker.choices, ...picker.found], picker.query)
  return { ...picker, matches, marked: Math.max(0, Math.min(picker.marked, matches.length - 1)) }
}

/** After the last match comes the first. */
function moved(picker: Picker, step: number): Picker {
  const { length } = picker.matches
  return length === 0 ? picker : { ...picker, marked: (picker.marked + step + length) % length }
}

function jumped(picker: Picker, step: number): Picker {
  const last = Math.max(0, picker.matches.length - 1)
  return { ...picker, marked: Math.max(0, Math.min(last, picker.marked + step)) }
}

function chosen(picker: Picker, match: number): Picked {
  const at = picker.matches[match]
  return at === undefined ? open(picker) : { kind: 'picked', at }
}

function open(picker: Picker): Picked {
  return { kind: 'open', picker }
}
