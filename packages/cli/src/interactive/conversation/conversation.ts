import { shellPath } from '@mutsumi/host'
import type { AgentEvent } from '@mutsumi/schema'
import type { AskUser, ConversationAgent } from '../agent/conversation-agent.js'
import { commandCompleter, typedCommand } from '../commands/slash-commands.js'
import { textColumns } from '../editor/draw-editor.js'
import { type EditorWorld, emptyEditor, press, textOf, withText } from '../editor/editor.js'
import { countLines } from '../editor/marks.js'
import type { Input } from '../keys/input.js'
import { KeyReader } from '../keys/key-reader.js'
import type { openRenderer } from '../markdown/renderer.js'
import type { Abilities } from '../screen/abilities.js'
import { editOutside } from '../screen/external-editor.js'
import type { Picture, Size } from '../screen/frame.js'
import { paintRow } from '../screen/paint.js'
import { Screen } from '../screen/screen.js'
import { Terminal } from '../screen/terminal.js'
import { type Line, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { Approvals } from './approvals.js'
import { type ConversationState, drawConversation } from './draw-conversation.js'
import { hearProcess } from './process-events.js'
import type { OpenQuestion } from './question.js'
import { RunningRound } from './running-round.js'
import { strayLines, userMessage } from './user-message.js'

export interface ConversationOptions {
  readonly words: Words
  readonly abilities: Abilities
  readonly version: string
  /** Begun after the first frame: a person can type before an agent is there. */
  readonly open: (ask: AskUser, stop: AbortSignal) => Promise<ConversationAgent>
}

/** How long a second Ctrl-C may take. */
const twiceMs = 2000

const keysFirstMs = 5
const restMs = 1000

interface Message {
  readonly text: string
  readonly shown: string
}

/** A person and an agent at a terminal. */
export class Conversation {
  readonly #options: ConversationOptions
  readonly #terminal: Terminal
  readonly #screen: Screen
  readonly #keys = new KeyReader((input) => this.#take(input))
  readonly #stop = new AbortController()
  readonly #left: Promise<void>
  readonly #approvals: Approvals
  readonly #complete: NonNullable<EditorWorld['complete']>
  #state: ConversationState
  #agent: Promise<ConversationAgent> | undefined
  #opened: ConversationAgent | undefined
  #renderer: ReturnType<typeof openRenderer> | undefined
  #round: RunningRound | undefined
  #ended: Promise<void> = Promise.resolve()
  #lastRound: RunningRound | undefined
  #queue: readonly Message[] = []
  #interruptedAt = Number.NEGATIVE_INFINITY
  #leave: (error?: unknown) => void = () => undefined

  constructor(options: ConversationOptions) {
    this.#options = options
    this.#complete = commandCompleter(options.words)
    this.#approvals = new Approvals({
      words: options.words,
      agent: () => this.#open(),
      isOver: () => this.#stop.signal.aborted || this.#round?.isCancelled === true,
      width: () => this.#width,
      print: (lines) => this.#print(lines),
      show: (question) => this.#showQuestion(question),
    })
    this.#left = new Promise((resolve, reject) => {
      this.#leave = (error) => (error === undefined ? resolve() : reject(error))
    })
    this.#terminal = new Terminal(process, options.abilities, {
      data: (chunk) => {
        this.#keys.take(chunk)
        this.#screen.draw()
      },
      resize: () => this.#screen.resized(),
      gone: () => this.#leave(),
      stray: (text) => this.#print(strayLines(text, this.#width)),
    })
    this.#screen = new Screen({
      output: this.#terminal.output,
      look: options.abilities,
      reflow: options.abilities.reflow,
      picture: (size) => this.#picture(size),
    })
    this.#state = {
      editor: emptyEditor,
      queue: [],
      status: { model: '', round: 0, queued: 0 },
      work: 'none',
    }
  }

  /** Until the person leaves. */
  async run(): Promise<void> {
    this.#terminal.acquire()
    const unhear = hearProcess({ leave: () => this.#leave(), fail: this.#leave, interrupt: this.#interrupt })
    this.#print([[span(`mutsumi ${this.#options.version}`, { bold: true })]])
    this.#screen.draw()
    // After the keys that are waiting already: loading an agent takes longer than showing them.
    const opening = setTimeout(() => void this.#open().then(this.#greet, this.#leave), keysFirstMs)
    try {
      await this.#left
    } finally {
      clearTimeout(opening)
      unhear()
      await this.#close()
    }
  }

  async #close(): Promise<void> {
    this.#cancel()
    this.#stop.abort()
    this.#keys.stop()
    await this.#ended
    const session = this.#opened?.session
    // A command that can be copied, so it is never wrapped.
    if (session !== undefined && this.#lastRound)
      this.#print([[], [span(this.#options.words.leave.session(shellPath(session)))]])
    this.#screen.pause()
    this.#terminal.release()
    const agent = await this.#agent?.catch(() => undefined)
    await agent?.close()
  }

  #open(): Promise<ConversationAgent> {
    this.#agent ??= this.#options.open(this.#approvals.ask, this.#stop.signal).then((agent) => {
      this.#opened = agent
      this.#change({ status: { model: agent.model, round: agent.rounds, queued: 0 } })
      return agent
    })
    return this.#agent
  }

  readonly #greet = ({ model, root }: ConversationAgent): void => {
    const { greeting } = this.#options.words
    const lines = [greeting.model(visibleLine(model)), greeting.workspace(visibleLine(root)), ...greeting.try]
    this.#print(lines.flatMap((line) => wrap([span(line, { dim: true })], this.#width)))
    this.#rest()
  }

  /** `bin/load-bundle.cjs` keeps V8's code of what has run, while nobody waits for anything. */
  #rest(): void {
    setTimeout(() => (process as NodeJS.EventEmitter).emit('mutsumi-rest'), restMs).unref()
  }

  #take(input: Input): void {
    const { notice: _, ...state } = this.#state
    this.#state = state
    const isAnswer = this.#state.question !== undefined && this.#approvals.isRead
    if (isAnswer) this.#pressQuestion(input)
    else if (!(input.kind === 'key' && this.#pressGlobal(input.name))) this.#pressEditor(input)
    this.#screen.changed()
  }

  /** Keys that mean the same whatever is being written; false where they are the editor's. */
  #pressGlobal(name: string): boolean {
    const { editor, work } = this.#state
    const isEmpty = editor.edit.text === ''
    switch (name) {
      case 'ctrl+c':
        if (editor.search) return false
        this.#interrupt()
        return true
      case 'ctrl+d':
        if (isEmpty) this.#leave()
        return isEmpty
      case 'escape':
        if (editor.popup || editor.search || work === 'none') return false
        this.#cancel()
        return true
      case 'up':
        return isEmpty && this.#takeBackQueued()
      case 'ctrl+o':
        this.#unfold()
        return true
      case 'ctrl+g':
        if (editor.search) return false
        this.#editOutside()
        return true
      case 'ctrl+l':
        this.#screen.resized()
        return true
      case 'ctrl+z':
        this.#suspend()
        return true
      default:
        return false
    }
  }

  #pressEditor(input: Input): void {
    const { state, outcome } = press(this.#state.editor, input, this.#editorWorld())
    this.#change({ editor: state })
    if (outcome.kind === 'submit') this.#submit(outcome)
  }

  #editorWorld(): EditorWorld {
    return {
      width: textColumns(this.#width),
      entries: this.#opened?.asked ?? [],
      label: this.#label,
      complete: this.#complete,
    }
  }

  #pressQuestion(input: Input): void {
    if (this.#approvals.press(input, this.#editorWorld()) === 'cancel') this.#cancel()
  }

  readonly #label = (paste: number): string => {
    const { edit } = this.#state.question?.reason ?? this.#state.editor
    const text = edit.pastes[paste] ?? ''
    return this.#options.words.editor.pasted(countLines(text))
  }

  #submit(message: Message): void {
    const { words } = this.#options
    const typed = typedCommand(message.text, words)
    if (typeof typed === 'string') return this.#note(typed)
    if (!typed) return this.#send(message)
    if (this.#round && !typed.command.isAlwaysReady) return this.#note(words.commands.whileWorking)
    this.#print(userMessage(message.shown, this.#width))
    const world = {
      words,
      width: this.#width,
      print: (lines: readonly Line[]) => this.#print(lines),
      agent: () => this.#open(),
      leave: () => this.#leave(),
    }
    Promise.resolve(typed.command.run(world, typed.argument)).catch((error: unknown) =>
      this.#note(`✗ ${visibleLine(error instanceof Error ? error.message : String(error))}`),
    )
  }

  #send(message: Message): void {
    void this.#open().then((agent) => agent.remember(message.text), ignored)
    if (!this.#round) return this.#begin(message)
    this.#queue = [...this.#queue, message]
    this.#change({ queue: this.#queue.map(({ shown }) => shown) })
  }

  #begin({ text, shown }: Message): void {
    this.#print(userMessage(shown, this.#width))
    this.#renderer ??= import('../markdown/renderer.js').then(({ openRenderer }) => openRenderer())
    const renderer = this.#renderer
    const round = new RunningRound({
      words: this.#options.words,
      agent: () => this.#open(),
      renderer: () => renderer,
      wasAsked: this.#approvals.wasAsked,
      width: () => this.#width,
      print: (lines) => this.#print(lines),
      heard: (event) => this.#hear(event),
    })
    this.#round = round
    this.#change({ work: 'working' })
    // What is going on for more than a second shows for how long.
    const ticking = setInterval(() => this.#screen.changed(), 1000)
    this.#ended = round.run(text).finally(() => {
      clearInterval(ticking)
      this.#endOf(round)
    })
  }

  #endOf(round: RunningRound): void {
    this.#lastRound = round
    this.#round = undefined
    this.#change({ work: 'none', status: { ...this.#state.status, round: this.#opened?.rounds ?? 0 } })
    const [next, ...later] = this.#queue
    if (!next) this.#rest()
    if (!next || this.#stop.signal.aborted) return
    // Who cancels a round wants to think again about what comes after it.
    if (round.isCancelled) return void this.#takeBackQueued()
    this.#queue = later
    this.#change({ queue: later.map(({ shown }) => shown) })
    this.#begin(next)
  }

  #hear(event: AgentEvent): void {
    const { status } = this.#state
    const agent = this.#opened
    if (event.type === 'request-start' && agent)
      this.#change({ status: { ...status, room: agent.room(event.tokens), round: agent.rounds } })
    if (event.type === 'usage' && agent) {
      const { input, output, cached } = event.usage
      const share = cached === undefined || input === 0 ? {} : { cached: cached / input }
      this.#change({ status: { ...status, room: agent.room(input + output), ...share } })
    }
  }

  /** All that is queued comes back into the input. */
  #takeBackQueued(): boolean {
    if (this.#queue.length === 0) return false
    const texts = [...this.#queue.map(({ text }) => text), textOf(this.#state.editor)].filter(
      (text) => text !== '',
    )
    this.#queue = []
    this.#change({ queue: [], editor: withText(this.#state.editor, texts.join('\n')) })
    return true
  }

  /** The first one stops what runs, or clears the input; the second one leaves. */
  readonly #interrupt = (): void => {
    const now = performance.now()
    if (now - this.#interruptedAt < twiceMs) return this.#leave()
    this.#interruptedAt = now
    if (this.#round) this.#cancel()
    else if (this.#state.editor.edit.text !== '') this.#change({ editor: withText(this.#state.editor, '') })
    this.#change({ notice: this.#options.words.leave.again })
  }

  #cancel(): void {
    if (!this.#round || this.#round.isCancelled) return
    this.#round.cancel()
    this.#change({ work: 'cancelling' })
    this.#approvals.refuse()
  }

  #showQuestion(question: OpenQuestion | undefined): void {
    const { question: _, ...state } = this.#state
    this.#state = state
    this.#change(question ? { question } : {})
  }

  #unfold(): void {
    const folded = this.#round?.folded ?? this.#lastRound?.folded
    if (!folded) return this.#change({ notice: this.#options.words.work.nothingToOpen })
    const lines = folded.lines()
    const title: Line = [span(visibleLine(folded.title), { bold: true })]
    const empty: Line[] = [[span(this.#options.words.work.noOutput, { dim: true })]]
    this.#print([[], title, ...(lines.length > 0 ? lines : empty), []])
  }

  #editOutside(): void {
    const { editor } = this.#state
    const edited = this.#outside(() => editOutside(textOf(editor), process.env))
    if (edited.kind === 'edited') this.#change({ editor: withText(editor, edited.text) })
    else this.#note(this.#options.words.editor.editorFailed(visibleLine(edited.message)))
  }

  /** Stopped until the shell lets it go on. */
  #suspend(): void {
    if (process.platform === 'win32') return
    // The whole group: a runner such as npx would go on waiting for us in the foreground.
    this.#outside(() => process.kill(0, 'SIGTSTP'))
  }

  /** Lends the terminal to somebody else. */
  #outside<Result>(use: () => Result): Result {
    this.#screen.pause()
    this.#terminal.release()
    try {
      return use()
    } finally {
      this.#terminal.acquire()
      this.#screen.resume()
    }
  }

  #note(text: string): void {
    this.#print(wrap([span(text, { color: 'yellow' })], this.#width))
  }

  #print(lines: readonly Line[]): void {
    this.#screen.print(lines)
  }

  #change(change: Partial<ConversationState>): void {
    this.#state = { ...this.#state, ...change }
    this.#screen.changed()
  }

  get #width(): number {
    return this.#screen.size.columns
  }

  #picture(size: Size): Picture {
    const { words, abilities } = this.#options
    const drawn = drawConversation(this.#state, {
      size,
      words,
      label: this.#label,
      entries: this.#opened?.asked ?? [],
      live: (width, rows) => this.#round?.live(width, rows) ?? [],
    })
    const { row, column, before } = drawn.cursor
    return {
      rows: drawn.lines.map((line) => paintRow(line, abilities)),
      cursor: { row, column, before: paintRow(before, abilities) },
    }
  }
}

/** Whoever opens the agent hears why it cannot be opened. */
const ignored = () => undefined
