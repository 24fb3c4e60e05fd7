import { argumentOf } from '@mutsumi/host'
import type { PermissionMode } from '@mutsumi/schema'
import type { AskPermission, PermissionQuestion } from '@mutsumi/tools'
import { failureText } from '../../terminal/failure.js'
import { sayRefusal } from '../../words/say.js'
import { type AgentDoor, withTrust } from '../agent/agent-door.js'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import type { CommandWorld, SlashCommand } from '../commands/command.js'
import { offeredCommands, shellCommandIn, typedCommand } from '../commands/slash-commands.js'
import { resolveCommand } from '../commands/unknown-command.js'
import { askingFor } from '../commands/user-command.js'
import { askAboutPlan } from '../conversation/plan-question.js'
import { questionLines, undoLimitLines } from '../conversation/question-lines.js'
import { printHistory, shownRounds } from '../conversation/recorded-history.js'
import { RoundView } from '../conversation/round-view.js'
import { RunningShell } from '../conversation/running-shell.js'
import type { FirstRunWorld } from '../first-run/first-run-world.js'
import { greetingLines } from '../first-run/greeting.js'
import type { UndecidedTrust } from '../first-run/trust-question.js'
import { type Line, lineText, span } from '../text/span.js'
import { visibleLine } from '../text/visible-text.js'
import { adviceHere } from '../words/advice.js'
import type { Words } from '../words/words.js'
import { LineReader } from './line-reader.js'
import { askPlainly } from './plain-approval.js'
import { plainAsker } from './plain-asking.js'

export interface PlainOptions {
  readonly words: Words
  readonly door: AgentDoor
  /** The first prompt. */
  readonly first?: string | undefined
}

/** Lines are not wrapped here, because a screen reader or the terminal does that better. */
const width = Number.MAX_SAFE_INTEGER

/** A conversation in plain lines, for screen readers and for terminals that cannot move their cursor. */
export async function talkPlainly({ words, door, first }: PlainOptions): Promise<void> {
  const talk = new PlainConversation(words, door)
  try {
    await talk.run(first)
  } finally {
    await talk.close()
  }
}

class PlainConversation {
  readonly #words: Words
  readonly #lines: LineReader
  #round: AbortController | undefined
  readonly #door: AgentDoor
  readonly #stop = new AbortController()
  #agent: ConversationAgent | undefined
  /** Asked with the first message. */
  #trust: UndecidedTrust | undefined
  readonly #asked = new Set<string>()
  #isLeaving = false
  #isAsking = false

  constructor(words: Words, door: AgentDoor) {
    this.#words = words
    this.#door = door
    this.#lines = new LineReader(() => this.#interrupt())
  }

  /** Asks the questions of a first run in plain lines. */
  get firstRun(): FirstRunWorld {
    const words = this.#words
    const print = (lines: readonly Line[]) => this.#print(lines)
    return {
      words,
      ask: plainAsker({ words, print, read: (prompt) => this.#answer(prompt) }),
      say: (lines) => print(lines.map((line) => [span(visibleLine(line))])),
      during: (_, work) => work,
    }
  }

  async run(first: string | undefined): Promise<void> {
    const agent = await this.#door.open(this.#opening)
    this.#agent = agent
    this.#trust = await this.#door.trustQuestion()
    const { firstRun } = this.#words
    this.firstRun.say([
      ...greetingLines(await agent.about(), this.#words),
      ...(this.#trust ? [firstRun.trust.waits] : []),
    ])
    await this.#showSession(agent)
    // These words come from a command line, so they are never a command for the shell.
    if (first) await (shellCommandIn(first) ? this.#run(first, agent) : this.#submit(first, agent))
    while (!this.#isLeaving) {
      const prompt = await this.#prompt()
      if (prompt === undefined) return
      if (prompt.trim() !== '') await this.#submit(prompt, this.#agent)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#lines.close()
    await this.#agent?.close()
  }

  get #opening() {
    return { ask: this.ask, stop: this.#stop.signal, world: this.firstRun }
  }

  /** The first message asks for trust, as in the other conversation. */
  async #trusted(agent: ConversationAgent): Promise<ConversationAgent> {
    const question = this.#trust
    this.#trust = undefined
    const trusted = await withTrust(agent, question, { ...this.#opening, door: this.#door })
    this.#agent = trusted.agent
    return trusted.agent
  }

  readonly ask: AskPermission = async (question) => {
    const isOver = () => this.#round?.signal.aborted === true
    if (isOver()) return 'no'
    this.#print(questionLines(question, { root: this.#agent?.root ?? '', width, words: this.#words }))
    if ('id' in question.call && typeof question.call.id === 'string') this.#asked.add(question.call.id)
    await this.#printPreview(question)
    return askPlainly(question, {
      words: this.#words,
      print: (lines) => this.#print(lines),
      read: (prompt) => this.#lines.readNew(prompt),
      keep: (line) => {
        this.#lines.keep(line)
        this.#print([[span(this.#words.editor.queued(visibleLine(line)))]])
      },
      isOver,
    })
  }

  async #printPreview(question: PermissionQuestion): Promise<void> {
    const preview = await this.#agent?.previewOf(question)
    const { questionDetails } = await import('../conversation/question-details.js')
    this.#print(questionDetails(question, preview).all())
    if (preview?.kind === 'none')
      this.#print([[span(this.#words.approval.noPreview(visibleLine(sayRefusal(preview.reason))))]])
    const limit = await this.#agent?.undoLimitOf(question)
    if (limit) this.#print(undoLimitLines(limit, { width, words: this.#words }))
  }

  /** Reads a prompt. After a backslash at the end of a line, the prompt continues in the next one. */
  async #prompt(): Promise<string | undefined> {
    const lines: string[] = []
    for (;;) {
      const line = await this.#lines.read(lines.length === 0 ? this.#words.plain.prompt : '')
      if (line === undefined) return undefined
      if (!line.endsWith('\\')) return [...lines, line].join('\n')
      lines.push(line.slice(0, -1))
    }
  }

  async #submit(prompt: string, agent: ConversationAgent): Promise<void> {
    const shell = shellCommandIn(prompt)
    if (shell !== undefined) return this.#runShell(shell, agent)
    const { commands } = agent
    const words = this.#words
    const found = typedCommand(prompt) ?? (await resolveCommand(prompt, { commands, words }))
    if (typeof found === 'string') return this.#print([[span(visibleLine(found))]])
    if (found) return this.#command(found.command, found.argument, agent)
    const called = agent.commands.called(prompt)
    if (!called || called.missing.length === 0) return this.#run(prompt, agent)
    await this.#command(askingFor(called, prompt), '', agent)
  }

  async #runShell(command: string, agent: ConversationAgent): Promise<void> {
    const round = new AbortController()
    this.#round = round
    const running = new RunningShell(command, {
      words: this.#words,
      agent: async () => agent,
      width: () => width,
      print: (lines) => this.#print(lines),
    })
    round.signal.addEventListener('abort', () => running.cancel())
    await running.run(command)
    this.#round = undefined
  }

  async #command(command: SlashCommand, argument: string, agent: ConversationAgent): Promise<void> {
    const sent: string[] = []
    try {
      await command.run(
        this.#world(agent, (text) => sent.push(text)),
        argument,
      )
    } catch (error) {
      this.#print([[span(`✗ ${visibleLine(adviceHere(failureText(error)))}`)]])
    }
    for (const text of sent) await this.#run(text, agent)
  }

  #world(agent: ConversationAgent, send: CommandWorld['send']): CommandWorld {
    const words = this.#words
    const print = (lines: readonly Line[]) => this.#print(lines)
    return {
      ...{ words, width, print, send },
      agent: async () => agent,
      leave: () => {
        this.#isLeaving = true
      },
      setMode: (mode) => this.#setMode(mode, agent),
      ask: plainAsker({ words, print, read: (prompt) => this.#answer(prompt) }),
      offered: () => offeredCommands(words, agent.commands.known),
      showSession: () => this.#showSession(agent),
      room: () => agent.nextRoom(),
      // Plain lines contain no control sequences.
      copy: () => false,
      setInput: (text) => print([[span(words.plain.message(visibleLine(text)))]]),
      during: (what, work) => this.#during(what, work),
    }
  }

  async #showSession({ sessions, model, resultOf }: ConversationAgent): Promise<void> {
    const print = (lines: readonly Line[]) => this.#print(lines)
    const options = { words: this.#words, renderer: plainRenderer, model, width, resultOf, print }
    await printHistory(sessions.last(shownRounds), options)
  }

  /** Ctrl-C cancels the question, not the conversation. */
  async #answer(prompt: string): Promise<string | undefined> {
    this.#isAsking = true
    const line = await this.#lines.readNew(prompt)
    this.#isAsking = false
    return line
  }

  /** Does some work that Ctrl-C aborts. */
  async #during<Result>(what: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const round = new AbortController()
    this.#round = round
    this.#print([[span(`${visibleLine(what)}. ${this.#words.plain.working}`)]])
    try {
      return await work(round.signal)
    } finally {
      this.#round = undefined
    }
  }

  async #setMode(mode: PermissionMode, agent: ConversationAgent): Promise<void> {
    const { modes } = this.#words
    agent.mode = mode
    this.#print([[span(modes.now[mode])]])
    if (mode === 'auto' && !(await agent.isConfined())) this.#print([[span(modes.unconfined)]])
  }

  async #offerPlan(answer: string, agent: ConversationAgent): Promise<void> {
    const { acceptedPlan, planIn } = await import('@mutsumi/agent')
    const steps = planIn(answer)
    if (!steps) return
    const print = (lines: readonly Line[]) => this.#print(lines)
    const ask = plainAsker({ words: this.#words, print, read: (prompt) => this.#answer(prompt) })
    const mode = await askAboutPlan(ask, this.#words, steps.length)
    if (!mode) return
    await this.#setMode(mode, agent)
    await this.#run(acceptedPlan, agent, steps)
  }

  async #run(prompt: string, opened: ConversationAgent, plan?: readonly string[]): Promise<void> {
    const agent = await this.#trusted(opened)
    this.#round = new AbortController()
    let planned: string | undefined
    this.#print([[span(this.#words.plain.working)]])
    const view = new RoundView({
      words: this.#words,
      renderer: plainRenderer,
      model: agent.model,
      now: () => performance.now(),
      resultOf: agent.resultOf,
      printsTodos: true,
      wasAsked: (call) => this.#asked.has(call),
    })
    for await (const event of agent.run(prompt, this.#round.signal, { plan })) {
      await view.prepare(event)
      if (event.type === 'round-end' && event.status === 'done' && agent.mode === 'plan')
        planned = event.answer
      this.#print(view.hear(event, width))
      if (event.type === 'tool-start') {
        const { name, args } = event.call
        this.#print([[span(this.#words.plain.tool(visibleLine(`${name} ${argumentOf(name, args)}`)))]])
      }
    }
    this.#round = undefined
    if (planned !== undefined) await this.#offerPlan(planned, agent)
  }

  #interrupt(): void {
    if (this.#round && !this.#round.signal.aborted) {
      this.#round.abort()
      this.#giveBackLines()
      return this.#lines.giveUp()
    }
    if (this.#isAsking) return this.#lines.giveUp()
    this.#isLeaving = true
    this.#lines.close()
  }

  /** Lines that were typed during the round were not meant for what comes now. */
  #giveBackLines(): void {
    const { plain } = this.#words
    this.#print(this.#lines.takeBack().map((line) => [span(plain.message(visibleLine(line)))]))
  }

  #print(lines: readonly Line[]): void {
    process.stdout.write(lines.map((line) => `${lineText(line)}\n`).join(''))
  }
}

/** Markdown as it is written. */
const plainRenderer = {
  renderText: (text: string): Line[] => text.split('\n').map((line) => [span(line)]),
  highlighterFor: () => (line: string) => [span(line)],
  prepare: async () => undefined,
}
