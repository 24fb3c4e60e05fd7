import { basename } from 'node:path'
import { shellPath } from '@mutsumi/host'
import { type AgentEvent, commandCallIn, type PermissionMode } from '@mutsumi/schema'
import type { Abilities } from '../../terminal/abilities.js'
import { type AgentDoor, type AgentOpening, withTrust } from '../agent/agent-door.js'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import type { Room } from '../cards/status-line.js'
import { TodoKeeper } from '../cards/todo-keeper.js'
import { back } from '../commands/back.js'
import { nextMode } from '../commands/mode.js'
import {
  commandCompleter,
  offeredCommands,
  shellCommandIn,
  typedCommand,
} from '../commands/slash-commands.js'
import { resolveCommand } from '../commands/unknown-command.js'
import { askingFor } from '../commands/user-command.js'
import { textColumns } from '../editor/draw-editor.js'
import { type EditorWorld, editorText, press, refreshed, withFolded, withText } from '../editor/editor.js'
import type { FirstRunWorld } from '../first-run/first-run-world.js'
import { greetingLines } from '../first-run/greeting.js'
import type { Input } from '../keys/input.js'
import { KeyReader } from '../keys/key-reader.js'
import type { openRenderer } from '../markdown/renderer.js'
import type { Pictures } from '../pictures/picture-markup.js'
import { editOutside } from '../screen/external-editor.js'
import { type Line, span } from '../text/span.js'
import { sentence } from '../text/text-lines.js'
import { truncateText } from '../text/truncate.js'
import { visibleLine } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import type { Words } from '../words/words.js'
import { Approvals } from './approvals.js'
import { Asking } from './asking.js'
import { CommandRunner } from './command-runner.js'
import { Display } from './display.js'
import { DraftKeeper } from './draft-keeper.js'
import { Focus } from './focus.js'
import { Folds } from './folds.js'
import { KeyHelp } from './key-help.js'
import type { Message } from './message-queue.js'
import { PassedModes } from './passed-modes.js'
import { askAboutPlan } from './plan-question.js'
import { hearProcess } from './process-events.js'
import { printHistory, shownRounds } from './recorded-history.js'
import { RunningRound } from './running-round.js'
import { RunningShell } from './running-shell.js'
import { StartupLine } from './startup-line.js'
import { StatusKeeper } from './status-keeper.js'
import { userMessage } from './user-message.js'
import { Work } from './work.js'

export interface ConversationOptions {
  readonly words: Words
  readonly abilities: Abilities
  readonly version: string
  /** Used after the first frame, so the user can type before the agent is ready. */
  readonly door: AgentDoor
  /** The first prompt. */
  readonly first?: string | undefined
}

/** A second Ctrl-C or Esc within this time counts as a double one. */
const twiceMs = 2000

const keysFirstMs = 5
const countMs = 60
const restMs = 1000
const shownDraft = 60

/** A conversation of a person and an agent at a terminal. */
export class Conversation {
  readonly #options: ConversationOptions
  readonly #display: Display
  readonly #work: Work
  readonly #approvals: Approvals
  readonly #asking: Asking
  readonly #focus: Focus
  readonly #keyHelp: KeyHelp
  readonly #firstRun: FirstRunWorld
  readonly #passedModes = new PassedModes(() => this.#opened?.judgeOpenQuestion())
  readonly #folds = new Folds()
  readonly #draftKeeper: DraftKeeper
  readonly #commands: CommandRunner
  readonly #status: StatusKeeper
  readonly #keys = new KeyReader((input) => this.#take(input))
  readonly #stop = new AbortController()
  readonly #left: Promise<void>
  readonly #complete: NonNullable<EditorWorld['complete']>
  #completePrompt: EditorWorld['complete']
  #agent: Promise<ConversationAgent> | undefined
  #greeting: Promise<void> | undefined
  /** Asked with the first message. */
  #trust: ReturnType<AgentDoor['trustQuestion']> | undefined
  #opened: ConversationAgent | undefined
  #renderer: ReturnType<typeof openRenderer> | undefined
  #hasAsked = false
  /** The answer of the newest round in plan mode. */
  #planned: string | undefined
  /** While the name of a command is looked up. */
  #resolving: Promise<void> | undefined
  #lastKey: string | undefined
  readonly #todos = new TodoKeeper()
  readonly #startup: StartupLine
  #interruptedAt = Number.NEGATIVE_INFINITY
  #escapedAt = Number.NEGATIVE_INFINITY
  #leave: (error?: unknown) => void = () => undefined

  constructor(options: ConversationOptions) {
    this.#options = options
    const { words, abilities } = options
    const offered = () => offeredCommands(words, this.#opened?.commands.known)
    const look = () => this.#opened?.commands.look(this.#moreCompletions) ?? false
    const commands = commandCompleter(offered, look)
    this.#complete = (draft) => commands(draft) ?? this.#completePrompt?.(draft)
    this.#left = new Promise((resolve, reject) => {
      this.#leave = (error) => (error === undefined ? resolve() : reject(error))
    })
    this.#display = new Display({
      words,
      abilities,
      data: (chunk) => this.#keys.take(chunk),
      gone: () => this.#leave(),
      entries: () => this.#opened?.asked ?? [],
      live: (width, rows) => this.#work.live(width, rows),
      opening: (width) => this.#startup.lines(width),
      drafted: () => this.#draftKeeper.changed(),
    })
    const display = this.#display
    this.#draftKeeper = new DraftKeeper(() => this.#keepDraft())
    this.#work = new Work({
      display,
      begin: (message) => this.#begin(message),
      notSteered: () => display.change({ notice: words.editor.notSteered }),
      rest: () => {
        this.#rest()
        void this.#offerPlan().catch(ignored)
      },
    })
    this.#status = new StatusKeeper({
      status: () => display.state.status,
      show: (status) => display.change({ status }),
      cold: () => void (this.#work.isRunning || this.#refreshStatus()),
    })
    this.#focus = new Focus({
      words,
      display,
      approvals: () => this.#approvals,
      asking: () => this.#asking,
    })
    this.#keyHelp = new KeyHelp(display, () => this.#submit({ text: '?', shown: '?' }))
    this.#asking = new Asking(this.#focus.showAsked)
    this.#commands = new CommandRunner({
      ...{ words, display, work: this.#work, ask: this.#asking },
      agent: () => this.#open(),
      leave: () => this.#leave(),
      setMode: (mode) => this.#setMode(mode),
      showSession: () => this.#showSession(),
      room: () => this.#room(),
      offered,
      send: (text, shown = text) => this.#work.send({ text, shown, isWhole: true }),
    })
    this.#startup = new StartupLine(words, display.tick)
    this.#firstRun = {
      words,
      ask: this.#asking,
      say: (lines) =>
        display.print(lines.flatMap((line) => wrap([span(visibleLine(line), { dim: true })], display.width))),
      during: this.#startup.during,
    }
    this.#approvals = new Approvals({
      words,
      agent: () => this.#open(),
      isOver: () => this.#stop.signal.aborted || this.#work.isCancelled,
      isShown: () => display.isCaughtUp,
      width: () => display.width,
      print: (lines) => display.print(lines),
      fold: this.#folds.add,
      show: this.#focus.showQuestion,
    })
  }

  /** Runs until the user leaves. */
  async run(): Promise<void> {
    this.#display.open()
    const unhear = hearProcess({ leave: () => this.#leave(), fail: this.#leave, interrupt: this.#interrupt })
    this.#display.print([[span(`mutsumi ${this.#options.version}`, { bold: true })]])
    this.#display.draw()
    // Keys that were typed already are shown first, because loading an agent takes longer.
    const opening = setTimeout(() => void this.#greeted().catch(this.#leave), keysFirstMs)
    try {
      await this.#left
    } finally {
      clearTimeout(opening)
      unhear()
      await this.#close()
    }
  }

  async #close(): Promise<void> {
    this.#draftKeeper.close()
    this.#passedModes.close()
    this.#asking.close()
    this.#cancel()
    this.#stop.abort()
    this.#keys.stop()
    this.#status.close()
    await this.#work.close()
    const session = this.#opened?.session
    // The user can copy this command, so it is never wrapped.
    if (session !== undefined && this.#hasAsked)
      this.#display.print([[], [span(this.#options.words.leave.session(shellPath(session)))]])
    this.#display.close()
    const agent = await this.#agent?.catch(() => undefined)
    await agent?.close()
  }

  #open(): Promise<ConversationAgent> {
    if (!this.#agent) {
      const { door } = this.#options
      this.#trust = door.trustQuestion()
      this.#agent = door.open(this.#opening()).then(this.#use)
    }
    return this.#agent
  }

  #opening(): AgentOpening {
    return { ask: this.#approvals.ask, stop: this.#stop.signal, world: this.#firstRun }
  }

  readonly #use = (agent: ConversationAgent): ConversationAgent => {
    this.#opened = agent
    this.#completePrompt = agent.completer(this.#moreCompletions)
    this.#status.begin(agent)
    if (agent.notifies) this.#display.beginCalling(basename(agent.root))
    return agent
  }

  /** The first message asks for trust if the folder needs it, because its request would include what waits. */
  async #openForRound(): Promise<ConversationAgent> {
    const [agent, question] = await Promise.all([this.#open(), this.#trust])
    // Somebody who types early reads where they are before they are asked about it.
    if (question) await this.#greeted()
    this.#trust = undefined
    const { door } = this.#options
    const trusted = await withTrust(agent, question, { ...this.#opening(), door }).catch((error: unknown) => {
      this.#agent = undefined
      throw error
    })
    if (trusted.isNew) this.#agent = Promise.resolve(this.#use(trusted.agent))
    return trusted.agent
  }

  /** The greeting is printed once. */
  #greeted(): Promise<void> {
    this.#greeting ??= this.#open().then(this.#greet)
    return this.#greeting
  }

  readonly #greet = async (agent: ConversationAgent): Promise<void> => {
    const [about, trust] = await Promise.all([agent.about(), this.#trust])
    const { words, first } = this.#options
    this.#firstRun.say([...greetingLines(about, words), ...(trust ? [words.firstRun.trust.waits] : [])])
    await this.#showSession()
    if (agent.mode === 'auto') void this.#noteUnconfined(agent).catch(ignored)
    this.#offerDrafts(agent)
    this.#rest()
    // These words come from a command line, so they are never a command for the shell.
    if (first) this.#submit({ text: first, shown: first, isWhole: first.trimStart().startsWith('!') })
  }

  /** Texts that an earlier conversation had no time to send. They are the newest prompts of the history. */
  #offerDrafts({ draft, remember }: ConversationAgent): void {
    for (const text of draft.takeLeft()) {
      remember(text)
      const line = visibleLine(text.trim().replace(/\s*\n\s*/g, ' '))
      this.#firstRun.say([this.#options.words.editor.draftLeft(truncateText(line, shownDraft))])
    }
    // Keys that were typed before there was a place to keep them.
    this.#draftKeeper.changed()
  }

  #keepDraft(): void {
    const { queue, editor } = this.#display.state
    this.#opened?.draft.keep(joinedText([...queue.map(({ text }) => text), editorText(editor)]))
  }

  /** Shows the last rounds of a session and its status. */
  async #showSession(): Promise<void> {
    const agent = await this.#open()
    this.#status.begin(agent)
    this.#display.change({ todos: agent.todos })
    if (agent.rounds > 0) await this.#printHistory(agent)
    // Counting a long session takes a moment, so its rounds are shown before that.
    setTimeout(() => void (this.#work.isRunning || this.#refreshStatus()), countMs).unref()
    void agent.commands.refresh().catch(ignored)
  }

  async #printHistory({ model, resultOf, sessions }: ConversationAgent): Promise<void> {
    const { words } = this.#options
    const display = this.#display
    const print = (lines: readonly Line[]) => display.print(lines)
    const options = {
      words,
      renderer: await this.#openRenderer(),
      model,
      width: display.width,
      resultOf,
      print,
      fold: this.#folds.add,
    }
    await printHistory(sessions.last(shownRounds), options)
  }

  /** The room in the status while a round runs. Else it is counted again, and the status shows the result. */
  async #room(): Promise<Room> {
    const { room } = this.#display.state.status
    return this.#work.isRunning && room ? room : this.#status.refresh(await this.#open())
  }

  /** If the refresh fails, the status stays as it is, and the next round reports the problem. */
  async #refreshStatus(): Promise<void> {
    if (this.#opened && !this.#stop.signal.aborted) await this.#status.refresh(this.#opened).catch(ignored)
  }

  #openRenderer(): ReturnType<typeof openRenderer> {
    this.#renderer ??= import('../markdown/renderer.js').then((module) => module.openRenderer())
    return this.#renderer
  }

  /** While the user is idle, `bin/load-bundle.cjs` stores V8's compiled code of the modules that have run. */
  #rest(): void {
    setTimeout(() => (process as NodeJS.EventEmitter).emit('mutsumi-rest'), restMs).unref()
  }

  #take(input: Input): void {
    this.#press(input)
    this.#lastKey = input.kind === 'key' ? input.name : undefined
  }

  #press(input: Input): void {
    this.#display.clear('notice')
    if (input.kind !== 'key' || input.name !== 'shift+tab') this.#passedModes.stay()
    if (this.#keyHelp.press(input)) return
    if (this.#focus.press(input, this.#editorWorld())) return
    if (input.kind === 'key' && this.#pressGlobal(input.name)) return
    this.#focus.leave()
    this.#pressEditor(input)
  }

  /** Handles keys that mean the same in every state. False if the key belongs to the editor. */
  #pressGlobal(name: string): boolean {
    const { asked, editor, work } = this.#display.state
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
        if (editor.popup || editor.search) return false
        if (work !== 'none') this.#cancel()
        else if (asked) this.#asking.close()
        else if (isEmpty && !this.#work.isBusy) this.#escape()
        return true
      case 'alt+escape':
        // Some terminals send two fast Esc as one.
        if (isEmpty && !this.#work.isBusy) this.#commands.run(back)
        return true
      case 'up':
        return isEmpty && this.#work.takeBackQueued()
      case 'shift+tab':
        void this.#open()
          .then((agent) => this.#beginMode(agent, nextMode(agent.mode)))
          .then(() => this.#passedModes.changed())
          .catch(ignored)
        return true
      case 'ctrl+o':
        this.#unfold()
        return true
      case 'ctrl+g':
        if (editor.search) return false
        this.#editOutside()
        return true
      case 'ctrl+v':
        if (!editor.search) void this.#pasteClipboard().catch(ignored)
        return true
      case 'ctrl+l':
        this.#display.redraw()
        return true
      case 'ctrl+z':
        this.#suspend()
        return true
      default:
        return false
    }
  }

  #pressEditor(input: Input): void {
    const pictures = input.kind === 'paste' ? this.#opened?.picturesIn(input.text) : undefined
    if (pictures) return this.#putIn(pictures)
    const { state, outcome } = press(this.#display.state.editor, input, this.#editorWorld())
    this.#display.change({ editor: state })
    if (outcome.kind === 'submit') this.#submit(outcome)
  }

  #putIn(pictures: Pictures): void {
    const { pictureFailed } = this.#options.words.editor
    if (pictures.kind === 'markup')
      this.#display.change({ editor: withFolded(this.#display.state.editor, pictures.markup) })
    else this.#display.note(pictureFailed(visibleLine(pictures.message)))
  }

  async #pasteClipboard(): Promise<void> {
    const { noPicture, noClipboard } = this.#options.words.editor
    const found = await this.#open().then((agent) => agent.clipboard())
    if (found.kind === 'none') this.#display.change({ notice: noPicture })
    else if (found.kind === 'no-program') this.#display.note(noClipboard(found.programs))
    else this.#putIn(found)
  }

  #editorWorld(): EditorWorld {
    return {
      width: textColumns(this.#display.width),
      entries: this.#opened?.asked ?? [],
      label: this.#display.label,
      complete: this.#complete,
    }
  }

  readonly #moreCompletions = (): void => {
    const { editor } = this.#display.state
    const now = refreshed(editor, this.#editorWorld())
    if (now !== editor) this.#display.change({ editor: now })
  }

  /** Messages keep their order, also if one of them has to be looked up first. */
  #submit(message: Message): void {
    const isUnclear = commandCallIn(message.text) !== undefined && !typedCommand(message.text)
    if (!isUnclear && !this.#resolving) return this.#send(message)
    const before = this.#resolving ?? Promise.resolve()
    const resolving = before.then(() => this.#resolve(message)).catch(this.#leave)
    this.#resolving = resolving
    void resolving.then(() => {
      if (this.#resolving === resolving) this.#resolving = undefined
    })
  }

  /** Sends a message that may begin with a name from habit, of the user's own command, or of none. */
  async #resolve(message: Message): Promise<void> {
    if (typedCommand(message.text)) return this.#send(message)
    const { words } = this.#options
    const { commands } = await this.#open()
    const found = await resolveCommand(message.text, { commands, words })
    if (typeof found === 'string') return this.#refuse(message, found)
    this.#send(found ? { ...message, text: `/${found.command.name} ${found.argument}`.trim() } : message)
  }

  /** Refuses a command that does not exist. The words after its name come back to the input. */
  #refuse({ text, shown }: Message, why: string): void {
    this.#display.print(userMessage(shown, this.#display.width))
    this.#display.note(visibleLine(why))
    const { editor } = this.#display.state
    if (commandCallIn(text)?.words !== '' && editor.edit.text === '')
      this.#display.change({ editor: withText(editor, text) })
  }

  #send(message: Message): void {
    const typed = typedCommand(message.text)
    if (typed?.command.isAlwaysReady) return this.#begin(message)
    if (!typed) void this.#open().then((agent) => agent.remember(message.text), ignored)
    this.#work.send(message)
  }

  /** Begins a command or a round. */
  #begin({ text, shown, isWhole }: Message): void {
    const typed = typedCommand(text)
    const called = isWhole ? undefined : this.#opened?.commands.called(text)
    if (!typed && called && called.missing.length > 0) return this.#commands.run(askingFor(called, text))
    this.#display.print(userMessage(shown, this.#display.width))
    const shell = isWhole ? undefined : shellCommandIn(text)
    if (typed) this.#commands.run(typed.command, typed.argument)
    else if (shell === undefined) this.#beginRound(text)
    else this.#beginShell(shell)
  }

  #beginShell(command: string): void {
    const display = this.#display
    this.#hasAsked = true
    const running = new RunningShell(command, {
      words: this.#options.words,
      agent: () => this.#open(),
      width: () => display.width,
      print: (lines) => display.print(lines),
    })
    this.#work.follow(
      running,
      running.run(command).then(() => this.#refreshStatus()),
    )
  }

  #beginRound(text: string, plan?: readonly string[]): void {
    const display = this.#display
    // A user who writes on does not answer the question about a plan.
    this.#asking.close()
    this.#planned = undefined
    this.#hasAsked = true
    const renderer = this.#openRenderer()
    const running = new RunningRound({
      words: this.#options.words,
      agent: () => this.#openForRound(),
      steering: this.#work.takeSteering,
      renderer: () => renderer,
      wasAsked: this.#approvals.wasAsked,
      fold: this.#folds.add,
      now: () => performance.now() - this.#approvals.answeringMs,
      width: () => display.width,
      print: (lines) => display.print(lines),
      heard: (event) => this.#hear(event),
    })
    this.#work.follow(
      running,
      running.run(text, plan).then(() => this.#refreshStatus()),
    )
  }

  /** A command changes the mode, also for the question that is open. */
  async #setMode(mode: PermissionMode): Promise<void> {
    const agent = await this.#open()
    this.#showMode(agent, mode)
    this.#display.print(sentence(this.#options.words.modes.now[mode], this.#display.width))
    agent.judgeOpenQuestion()
    if (mode === 'auto') await this.#noteUnconfined(agent)
  }

  /** Changes the mode for new calls and says so. */
  async #beginMode(agent: ConversationAgent, mode: PermissionMode): Promise<void> {
    const { modes } = this.#options.words
    this.#showMode(agent, mode)
    const display = this.#display
    display.change({ notice: modes.now[mode] })
    if (mode === 'auto') await this.#noteUnconfined(agent)
  }

  async #noteUnconfined(agent: ConversationAgent): Promise<void> {
    if (!(await agent.isConfined())) this.#display.note(this.#options.words.modes.unconfined)
  }

  #showMode(agent: ConversationAgent, mode: PermissionMode): void {
    agent.mode = mode
    this.#display.change({ status: { ...this.#display.state.status, mode } })
  }

  /** Asks about the plan of the round that has ended. A yes makes it the todo list of the next round. */
  async #offerPlan(): Promise<void> {
    if (this.#planned === undefined) return
    // The agent is loaded by now.
    const { acceptedPlan, planIn } = await import('@mutsumi/agent')
    const steps = planIn(this.#planned ?? '')
    if (!steps || this.#work.isBusy || this.#stop.signal.aborted) return
    const { words } = this.#options
    const mode = await askAboutPlan(this.#asking, words, steps.length)
    if (!mode) return
    this.#showMode(await this.#open(), mode)
    const todos = steps.map((content) => ({ content, status: 'pending' as const }))
    this.#display.change({ todos })
    this.#display.print(userMessage(words.modes.plan.accepted, this.#display.width))
    this.#beginRound(acceptedPlan, steps)
  }

  #hear(event: AgentEvent): void {
    if (this.#opened) this.#status.hear(event, this.#opened)
    const todos = this.#todos.hear(event)
    if (todos) this.#display.change({ todos })
    if (event.type === 'round-end' && event.status === 'done' && this.#opened?.mode === 'plan')
      this.#planned = event.answer
    if (event.type === 'steer')
      this.#display.print(userMessage(this.#work.entered()?.shown ?? event.text, this.#display.width))
  }

  /** The first Ctrl-C stops the round or clears the input. The second one leaves. */
  readonly #interrupt = (): void => {
    const now = performance.now()
    if (now - this.#interruptedAt < twiceMs) return this.#leave()
    this.#interruptedAt = now
    const { editor } = this.#display.state
    if (this.#work.isRunning) this.#cancel()
    else if (editor.edit.text !== '') this.#display.change({ editor: withText(editor, '') })
    this.#display.change({ notice: this.#options.words.leave.again })
  }

  /** The first Esc shows a hint. The second one goes back to an earlier message. */
  #escape(): void {
    const now = performance.now()
    const isSecond = now - this.#escapedAt < twiceMs
    this.#escapedAt = isSecond ? Number.NEGATIVE_INFINITY : now
    if (isSecond) this.#commands.run(back)
    else if (this.#opened && this.#opened.rounds > 0)
      this.#display.change({ notice: this.#options.words.sessions.escapeAgain })
  }

  #cancel(): void {
    if (!this.#work.isRunning || this.#work.isCancelled) return
    this.#work.cancel()
    this.#approvals.refuse()
    this.#asking.giveUp()
  }

  #unfold(): void {
    const folded = this.#folds.open({ isAgain: this.#lastKey === 'ctrl+o' })
    if (!folded) return this.#display.change({ notice: this.#options.words.work.nothingToOpen })
    const lines = folded.lines()
    const title: Line[] = folded.title === '' ? [] : [[span(visibleLine(folded.title), { bold: true })]]
    const empty: Line[] = [[span(this.#options.words.work.noOutput, { dim: true })]]
    this.#display.print([[], ...title, ...(lines.length > 0 ? lines : empty), []])
  }

  #editOutside(): void {
    const { editor, queue } = this.#display.state
    const draft = this.#opened?.draft
    const folder = draft?.editorFolder()
    // The editor's file keeps the rest of what is not sent.
    if (folder !== undefined) draft?.keep(joinedText(queue.map(({ text }) => text)))
    const edited = this.#display.outside(() => editOutside(editorText(editor), process.env, folder))
    // A terminal that was closed has ended the editor, and what it saved was meant to stay.
    if (edited.kind === 'edited' || this.#display.isGone)
      this.#display.change({ editor: withText(editor, edited.text) })
    else this.#display.note(this.#options.words.editor.editorFailed(visibleLine(edited.message)))
    this.#draftKeeper.changed()
  }

  /** Stops the process until the shell continues it. */
  #suspend(): void {
    if (process.platform === 'win32') return
    // Stops the whole process group, else a runner such as npx would keep waiting for us in the foreground.
    this.#display.outside(() => process.kill(0, 'SIGTSTP'))
  }
}

function joinedText(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}

/** Other code handles the failure. */
const ignored = () => undefined
