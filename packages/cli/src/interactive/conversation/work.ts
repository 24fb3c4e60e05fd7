import { editorText, withText } from '../editor/editor.js'
import type { Line } from '../text/span.js'
import type { Display } from './display.js'
import { limitHeap } from './heap-limits.js'
import { type Message, MessageQueue, needsRound } from './message-queue.js'

/** Something that takes time and can be cancelled: a round, or the work of a command. */
export interface Running {
  readonly isCancelled: boolean
  /** It takes messages while it runs. */
  readonly canBeSteered?: boolean
  cancel(): void
  live(width: number, rows: number): readonly Line[]
}

export interface WorkOptions {
  readonly display: Display
  /** Begins the round of a message, or the work of a command. */
  readonly begin: (message: Message) => void
  /** Shows that a message cannot go into the round. */
  readonly notSteered: () => void
  /** Called when nothing runs and nothing waits. */
  readonly rest: () => void
}

/** The round or command that runs now, and the messages that wait for its end. */
export class Work {
  readonly #options: WorkOptions
  #running: Running | undefined
  readonly #queue = new MessageQueue()
  /** Running commands. Messages wait for their end too. */
  readonly #commands = new Set<Promise<void>>()
  #isClosed = false
  #ended: Promise<void> = Promise.resolve()

  constructor(options: WorkOptions) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** A round or a command is running. */
  get isBusy(): boolean {
    return this.isRunning || this.#commands.size > 0
  }

  get isCancelled(): boolean {
    return this.#running?.isCancelled === true
  }

  readonly live = (width: number, rows: number): readonly Line[] => this.#running?.live(width, rows) ?? []

  /** Sends a message at once if nothing runs or if it steers the round. Else it waits for the end. */
  send(message: Message): void {
    if (this.isBusy) return this.#wait(message, this.#running)
    this.#options.begin(message)
  }

  /** Messages wait until a command has ended. `command` never rejects. */
  hold(command: Promise<void>): void {
    this.#commands.add(command)
    void command.then(() => {
      this.#commands.delete(command)
      this.#sendNext()
    })
  }

  #wait({ steers, ...message }: Message, running: Running | undefined): void {
    const { text } = message
    const wantsIn = steers === true && running?.canBeSteered === true && !running.isCancelled
    if (wantsIn && needsRound(text)) this.#options.notSteered()
    this.#queue.add({ ...message, steers: wantsIn && !needsRound(text) })
    this.#showQueue()
  }

  /** Returns the messages that the user sends into the round. */
  readonly takeSteering = (): readonly string[] => this.#queue.takeSteering()

  /** The round has recorded a message. Returns it as it was typed. */
  entered(): Message | undefined {
    const message = this.#queue.entered()
    this.#showQueue()
    return message
  }

  /** Shows the running work until its end. `ended` never rejects. */
  follow(running: Running, ended: Promise<void>): void {
    const { display } = this.#options
    this.#running = running
    display.change({ work: 'working' })
    // Work that takes longer than a second shows its time.
    limitHeap()
    const ticking = setInterval(() => {
      limitHeap()
      display.tick()
    }, 1000)
    this.#ended = ended.then(() => {
      clearInterval(ticking)
      this.#endOf(running)
    })
  }

  cancel(): void {
    if (!this.#running || this.#running.isCancelled) return
    this.#running.cancel()
    this.#options.display.change({ work: 'cancelling' })
  }

  /** Moves all queued messages back into the input. */
  takeBackQueued(): boolean {
    const queued = this.#queue.takeBack()
    if (queued.length === 0) return false
    const { editor } = this.#options.display.state
    const texts = [...queued.map(({ text }) => text), editorText(editor)].filter((text) => text !== '')
    this.#showQueue()
    this.#options.display.change({ editor: withText(editor, texts.join('\n')) })
    return true
  }

  /** Cancels the running work, begins nothing more, and waits for the end. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.cancel()
    await Promise.all([this.#ended, ...this.#commands])
  }

  #endOf(running: Running): void {
    const { display, rest } = this.#options
    this.#running = undefined
    display.change({ work: 'none' })
    this.#queue.roundEnded()
    if (this.#queue.all.length === 0) rest()
    if (this.#isClosed) return
    // A user who cancels a round wants to reconsider the messages after it.
    if (running.isCancelled) return void this.takeBackQueued()
    this.#sendNext()
  }

  #sendNext(): void {
    if (this.isBusy || this.#isClosed) return
    const next = this.#queue.next()
    this.#showQueue()
    if (next) this.send(next)
  }

  #showQueue(): void {
    this.#options.display.change({ queue: this.#queue.all })
  }
}
