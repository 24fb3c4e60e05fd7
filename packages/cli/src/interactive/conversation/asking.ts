import {
  type EditorState,
  type EditorWorld,
  editorText,
  emptyEditor,
  press,
  withText,
} from '../editor/editor.js'
import type { Input } from '../keys/input.js'
import type { Asker, ChoiceQuestion, TextQuestion } from '../picker/asker.js'
import { openPicker, type Picker, pressPicker, withFound } from '../picker/picker.js'

/** A command's question, with the answer so far. */
export type Asked =
  | { readonly kind: 'choice'; readonly picker: Picker; readonly isUnexpected?: boolean }
  | {
      readonly kind: 'text'
      readonly title: string
      readonly placeholder: string
      readonly editor: EditorState
    }

/** An open question: the callback for its answer, and the search for more choices. */
interface Open {
  readonly answer: (answer: string | number | undefined) => void
  readonly search?: (query: string, signal: AbortSignal) => void
}

/** A search begins after so long without a key. */
const searchMs = 120

/** Asks the user the questions of commands. */
export class Asking implements Asker {
  readonly #show: (asked: Asked | undefined) => void
  #asked: Asked | undefined
  #open: Open | undefined
  #stopSearch = new AbortController()
  #waiting: NodeJS.Timeout | undefined

  /** `show` draws a question; undefined removes it. */
  constructor(show: (asked: Asked | undefined) => void) {
    this.#show = show
  }

  async choose<Value>(question: ChoiceQuestion<Value>): Promise<Value | undefined> {
    const { choices, search, isUnexpected = false } = question
    let found: ChoiceQuestion<Value>['choices'] = []
    const look = async (query: string, signal: AbortSignal) => {
      const more = (await search?.(query, signal)) ?? []
      if (signal.aborted || this.#asked?.kind !== 'choice') return
      found = more
      this.#change({ ...this.#asked, picker: withFound(this.#asked.picker, query, more) })
    }
    const picker = openPicker(question)
    const answer = this.#ask(
      { kind: 'choice', picker, isUnexpected },
      search && { search: (query, signal) => void look(query, signal) },
    )
    this.#searchSoon(picker.query)
    const at = await answer
    return typeof at === 'number' ? (choices[at] ?? found[at - choices.length])?.value : undefined
  }

  async write({ title, placeholder = '', initial = '' }: TextQuestion): Promise<string | undefined> {
    const editor = withText(emptyEditor, initial)
    const answer = await this.#ask({ kind: 'text', title, placeholder, editor })
    return typeof answer === 'string' ? answer : undefined
  }

  /** Applies an input to the open question. False if the question does not use it. */
  press(input: Input, world: EditorWorld): boolean {
    const asked = this.#asked
    if (asked?.kind === 'text') this.#pressText(asked, input, world)
    return asked?.kind === 'choice' ? this.#pressPicker(asked, input) : asked !== undefined
  }

  /** The round is cancelled, so a question that belongs to it is closed. */
  giveUp(): void {
    if (this.#asked?.kind === 'choice' && this.#asked.isUnexpected) this.close()
  }

  /** Closes the question without an answer. */
  close(): void {
    this.#end(undefined)
  }

  #pressPicker(asked: Extract<Asked, { kind: 'choice' }>, input: Input): boolean {
    const picked = pressPicker(asked.picker, input)
    if (picked.kind === 'passed') return false
    if (picked.kind === 'open') {
      this.#change({ ...asked, picker: picked.picker })
      if (picked.picker.query !== asked.picker.query) this.#searchSoon(picked.picker.query)
    } else this.#end(picked.kind === 'picked' ? picked.at : undefined)
    return true
  }

  #pressText(asked: Extract<Asked, { kind: 'text' }>, input: Input, world: EditorWorld): void {
    if (input.kind === 'key' && (input.name === 'escape' || input.name === 'ctrl+c'))
      return this.#end(undefined)
    if (input.kind === 'key' && input.name === 'enter') return this.#end(editorText(asked.editor))
    const { width, label } = world
    const { state } = press(asked.editor, input, { width, label, entries: [] })
    this.#change({ ...asked, editor: state })
  }

  #ask(asked: Asked, how: Omit<Open, 'answer'> = {}): Promise<string | number | undefined> {
    // There is one question at a time, so one that is still open is given up.
    this.close()
    return new Promise((resolve) => {
      this.#open = { answer: resolve, ...how }
      this.#change(asked)
    })
  }

  #searchSoon(query: string): void {
    this.#stopSearching()
    const search = this.#open?.search
    if (!search || query.trim() === '') return
    this.#stopSearch = new AbortController()
    const { signal } = this.#stopSearch
    this.#waiting = setTimeout(() => search(query, signal), searchMs)
  }

  #stopSearching(): void {
    clearTimeout(this.#waiting)
    this.#stopSearch.abort()
  }

  #end(answer: string | number | undefined): void {
    const open = this.#open
    this.#stopSearching()
    this.#open = undefined
    if (this.#asked) this.#change(undefined)
    open?.answer(answer)
  }

  #change(asked: Asked | undefined): void {
    this.#asked = asked
    this.#show(asked)
  }
}
