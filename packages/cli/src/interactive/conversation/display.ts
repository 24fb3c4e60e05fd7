import type { Abilities } from '../../terminal/abilities.js'
import type { EditorState } from '../editor/editor.js'
import { emptyEditor } from '../editor/editor.js'
import { lineCount } from '../editor/marks.js'
import { pictureName } from '../pictures/picture-name.js'
import type { Picture, Size } from '../screen/frame.js'
import { paintRow } from '../screen/paint.js'
import { Screen } from '../screen/screen.js'
import { Terminal } from '../screen/terminal.js'
import { noticeSigns } from '../screen/window-signs.js'
import { type Line, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { Attention, type Doing } from './attention.js'
import { type ConversationState, type DrawOptions, drawConversation } from './draw-conversation.js'
import { strayLines } from './user-message.js'

export interface DisplayOptions {
  readonly words: Words
  readonly abilities: Abilities
  /** Receives the bytes that the terminal sends. */
  readonly data: (chunk: string) => void
  /** The terminal is closed. */
  readonly gone: () => void
  readonly entries: () => readonly string[]
  readonly live: DrawOptions['live']
  readonly opening: DrawOptions['opening']
  /** The text in the input or the messages that wait have changed. */
  readonly drafted: () => void
}

/** Most terminals accept no more at once. */
const longestCopy = 74_994

/** The user's screen: finished lines, and a live region that follows the conversation's state. */
export class Display {
  readonly #options: DisplayOptions
  readonly #terminal: Terminal
  readonly #screen: Screen
  #attention: Attention | undefined
  #state: ConversationState = {
    editor: emptyEditor,
    queue: [],
    todos: [],
    status: { model: '', round: 0, queued: 0 },
    work: 'none',
    isAnswering: false,
  }

  constructor(options: DisplayOptions) {
    this.#options = options
    this.#terminal = new Terminal(process, options.abilities, {
      data: (chunk) => {
        this.#attention?.keyPressed()
        options.data(chunk)
        this.#screen.draw()
      },
      resize: () => this.#screen.resized(),
      gone: options.gone,
      stray: (text) => this.print(strayLines(text, this.width)),
    })
    this.#screen = new Screen({
      output: this.#terminal.output,
      look: options.abilities,
      reflow: options.abilities.reflow,
      picture: (size) => this.#picture(size),
    })
  }

  get state(): ConversationState {
    return this.#state
  }

  get width(): number {
    return this.#screen.size.columns
  }

  /** The terminal was closed. */
  get isGone(): boolean {
    return this.#terminal.isGone
  }

  open(): void {
    this.#terminal.acquire()
  }

  /** From now on the window's title says what the conversation does, and a person who looks elsewhere is called. */
  beginCalling(folder: string): void {
    const { words, abilities } = this.#options
    this.#attention ??= new Attention({
      words: words.attention,
      folder,
      title: (text) => this.#terminal.entitle(text),
      call: (text) => void this.#terminal.output.write(noticeSigns(text, abilities)),
    })
    this.#attention.change(doing(this.#state))
  }

  /** Gives the terminal back to the shell. */
  close(): void {
    this.#attention?.close()
    this.#attention = undefined
    this.#screen.pause()
    this.#terminal.release()
  }

  /** The terminal has taken everything that was printed. */
  get isCaughtUp(): boolean {
    return this.#screen.isCaughtUp
  }

  /** Draws at once. */
  draw(): void {
    this.#screen.draw()
  }

  /** Draws the live region again, at the place where the terminal left it. */
  redraw(): void {
    this.#screen.resized()
  }

  print(lines: readonly Line[]): void {
    this.#screen.print(lines)
  }

  /** Prints one line about a problem. */
  note(text: string): void {
    this.print(wrap([span(text, { color: 'yellow' })], this.width))
  }

  /** A text in the input always has the keyboard, so that no Enter meant for it answers a question. */
  change(change: Partial<ConversationState>): void {
    const { editor, queue } = this.#state
    const state = { ...this.#state, ...change }
    this.#show(state.editor.edit.text === '' ? state : { ...state, isAnswering: false })
    if (editor.edit.text !== state.editor.edit.text || queue !== state.queue) this.#options.drafted()
  }

  /** Removes optional parts of the live region. */
  clear(...names: readonly ('question' | 'asked' | 'notice' | 'showsKeys')[]): void {
    const state = { ...this.#state }
    for (const name of names) delete state[name]
    this.#show(state)
  }

  #show(state: ConversationState): void {
    this.#state = state
    this.#attention?.change(doing(state))
    this.#screen.changed()
  }

  /** Another second has passed, so the time of the current work is drawn again. */
  readonly tick = (): void => this.#screen.changed()

  /** Sends a text to the user's clipboard. False if the terminal cannot do that, or if the text is too long. */
  copy(text: string): boolean {
    const encoded = Buffer.from(text, 'utf8').toString('base64')
    if (!this.#options.abilities.clipboard || encoded.length > longestCopy) return false
    this.#terminal.output.write(`\u001b]52;c;${encoded}\u0007`)
    return true
  }

  /** Gives the terminal to another program for a while. */
  outside<Result>(use: () => Result): Result {
    this.#screen.pause()
    this.#terminal.release()
    try {
      return use()
    } finally {
      this.#takeBack()
    }
  }

  #takeBack(): void {
    if (this.#terminal.isGone) return this.#options.gone()
    this.#terminal.acquire()
    this.#screen.resume()
  }

  /** The label of a long paste in the input. */
  readonly label = (paste: number): string => {
    const text = this.#written.edit.pastes[paste] ?? ''
    const { picture, pasted } = this.#options.words.editor
    const name = pictureName(text)
    return name === undefined ? pasted(lineCount(text.replace(/\r?\n$/, ''))) : picture(visibleLine(name))
  }

  get #written(): EditorState {
    const { question, asked, editor, isAnswering } = this.#state
    if (!isAnswering) return editor
    return question?.reason ?? (asked?.kind === 'text' ? asked.editor : editor)
  }

  #picture(size: Size): Picture {
    const { words, abilities, entries, live, opening } = this.#options
    const options = { size, words, label: this.label, entries: entries(), live, opening }
    const drawn = drawConversation(this.#state, options)
    const { row, column, before } = drawn.cursor
    return {
      rows: drawn.lines.map((line) => paintRow(line, abilities)),
      cursor: { row, column, before: paintRow(before, abilities) },
    }
  }
}

/** A question that the user's own command asks is not news to them. */
function doing({ question, asked, work }: ConversationState): Doing {
  if (question || (asked?.kind === 'choice' && asked.isUnexpected)) return 'waiting'
  return work === 'none' ? 'ready' : 'working'
}
