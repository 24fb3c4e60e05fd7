import { withText } from '../editor/editor.js'
import type { Input } from '../keys/input.js'
import type { Display } from './display.js'

/** A text that follows a question mark so soon begins with it. */
const typingMs = 1000

/** A question mark in an empty input shows the keys until the next key, and does not stay in the input. */
export class KeyHelp {
  readonly #display: Display
  /** Prints the keys. */
  readonly #print: () => void
  #since = 0

  constructor(display: Display, print: () => void) {
    this.#display = display
    this.#print = print
  }

  /** Applies an input. False if it goes on to the others. */
  press(input: Input): boolean {
    if (this.#display.state.showsKeys) return this.#hide(input)
    if (input.kind !== 'text' || input.text !== '?' || !this.#isFree) return false
    this.#since = performance.now()
    this.#display.change({ showsKeys: true })
    return true
  }

  get #isFree(): boolean {
    const { editor, question, asked } = this.#display.state
    return editor.edit.text === '' && !editor.search && !question && !asked
  }

  #hide(input: Input): boolean {
    const display = this.#display
    display.clear('showsKeys')
    if (input.kind === 'key') {
      if (input.name === 'enter') this.#print()
      return hidingKeys.has(input.name)
    }
    if (performance.now() - this.#since < typingMs)
      display.change({ editor: withText(display.state.editor, '?') })
    else if (input.text === '?') return true
    return false
  }
}

const hidingKeys: ReadonlySet<string> = new Set(['enter', 'escape', 'backspace'])
