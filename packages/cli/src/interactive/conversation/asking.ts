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
  | { readonly kind: 'choice'; readonly picker: Picker }
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
  readonly isUnexpected?: ChoiceQuestion<unknown>['isUnexpected']
}

/** Keys pressed sooner after an unexpected question were meant for the input. */
const unreadMs = 400

/** A search begins after so long without a key. */
const searchMs = 120

/** Asks the user the questions of commands. A question replaces the input. */
export class Asking implements Asker {
  readonly #show: (asked: Asked | undefined) => void
  #asked: Asked | undefined
  #open: Open | undefined
  #stopSearch = new AbortController()
  #waiting: NodeJS.Timeout | undefined
  #unreadSince = Number.NEGATIVE_INFINITY

  /** `show` draws a question; undefined removes it. */
  constructor(show: (asked: Asked | undefined) => void) {
    this.#show = show
  }

  async choose<Value>(question: ChoiceQuestion<Value>): Promise<Value | undefined> {
    const { choices, search } = question
    let found: ChoiceQuestion<Value>['choices'] = []
    const look = async (query: string, signal: AbortSignal) => {
      const more = (await search?.(query, signal)) ?? []
      if (signal.aborted || this.#asked?.kind !== 'choice') return
      found = more
      this.#change({ kind: 'choice', picker: withFound(this.#asked.picker, query, more) })
    }
    const picker = openPicker(question)
    const answer = this.#ask(
      { kind: 'choice', picker },
      {
        ...(search && { search: (query, signal) => void look(query, signal) }),
        ...(question.isUnexpected && { isUnexpected: question.isUnexpected }),
      },
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

  /**
   * Whether an input is for the open question. While the user is still typing, an unexpected question waits for a pause,
   * or is given up.
   */
  takes(): boolean {
    if (!this.#open?.isUnexpected || performance.now() - this.#unreadSince > unreadMs) return true
    if (this.#open.isUnexpected === 'yields') this.close()
    else this.#unreadSince = performance.now()
    return false
  }

  /** Applies an input to the open question. */
  press(input: Input, world: EditorWorld): void {
    const asked = this.#asked
    if (asked?.kind === 'choice') this.#pressPicker(asked.picker, input)
    if (asked?.kind === 'text') this.#pressText(asked, input, world)
  }

  /** Closes the question without an answer. */
  close(): void {
    this.#end(undefined)
  }

  #pressPicker(before: Picker, input: Input): void {
    const picked = pressPicker(before, input)
    if (picked.kind !== 'open') return this.#end(picked.kind === 'picked' ? picked.at : undefined)
    const { picker } = picked
    this.#change({ kind: 'choice', picker })
    if (picker.query !== before.query) this.#searchSoon(picker.query)
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
      if (how.isUnexpected) this.#unreadSince = performance.now()
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
