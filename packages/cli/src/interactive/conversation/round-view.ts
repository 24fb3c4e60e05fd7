import { localEnd, localWarning, type ShownResult } from '@mutsumi/host'
import type { AgentEvent, RecordedCall, RoundEndEvent } from '@mutsumi/schema'
import { retryReason, tryText } from '../../run/retry-text.js'
import { formatWarning } from '../../terminal/warnings.js'
import type { appliedChange } from '../cards/applied-change.js'
import { answerGlimpse, commandGlimpse } from '../cards/command-glimpse.js'
import {
  heard,
  type SubAgentCard,
  subAgentCard,
  subAgentDetails,
  subAgentLine,
  tasksOf,
} from '../cards/sub-agent.js'
import { isUnfinished, todoLines, todosIn } from '../cards/todo-list.js'
import { type CardEnd, cardOf, finishedCard, runningCard, type ToolCard } from '../cards/tool-card.js'
import { outputLines, withMore } from '../cards/tool-output.js'
import { MarkdownStream } from '../markdown/markdown-stream.js'
import type { openRenderer } from '../markdown/renderer.js'
import { type Line, type Style, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'
import { wrap } from '../text/wrap.js'
import { adviceHere } from '../words/advice.js'
import type { Words } from '../words/words.js'
import type { Folded } from './folds.js'

export interface RoundViewOptions {
  readonly words: Words
  readonly renderer: Awaited<ReturnType<typeof openRenderer>>
  readonly model: string
  readonly now: () => number
  readonly resultOf: (call: string) => ShownResult | undefined
  /** Receives every text of which only a part is shown. If absent, all texts are shown in full. */
  readonly fold?: ((folded: Folded) => void) | undefined
  /** Whether unfinished tasks are printed, because there is no live region to show them. */
  readonly printsTodos?: boolean
  /** Whether a call's diff was already shown with a question to the user. */
  readonly wasAsked: (call: string) => boolean
}

/** Lines of the same kind are printed without a gap between them. */
type Kind = 'answer' | 'card' | 'thought' | 'note'

/** The round waits for the reply's first text, its next text, a compaction, or another try. */
interface Waiting {
  readonly kind: 'model' | 'text' | 'compaction' | 'retry'
  readonly since: number
  readonly retry?: Extract<AgentEvent, { type: 'retry' }>
}

const shownDiffRows = 40
const shownThoughtRows = 8
const runningRows = 4

/** Turns the events of one round into finished lines and a view of the current work. */
export class RoundView {
  readonly #options: RoundViewOptions
  readonly #calls = new Map<string, RecordedCall>()
  readonly #running = new Map<string, ToolCard>()
  /** Sub-agents by their id. */
  readonly #subAgents = new Map<string, SubAgentCard>()
  #markdown: MarkdownStream
  #hasAnswer = false
  #thought = ''
  #last: Kind | undefined
  #waiting: Waiting
  #appliedChange: typeof appliedChange | undefined

  constructor(options: RoundViewOptions) {
    this.#options = options
    this.#markdown = new MarkdownStream(options.renderer)
    this.#waiting = { kind: 'model', since: options.now() }
  }

  /** The reply goes on. If it stalls, the time since then is shown. */
  #hearText(): void {
    this.#waiting = { kind: 'text', since: this.#options.now() }
  }

  /** Loads the code that shows an event; undefined if it is already loaded. */
  prepare(event: AgentEvent): Promise<void> | undefined {
    if (event.type === 'answer') return this.#options.renderer.prepare(event.text)
    if (event.type === 'tool-end' && !this.#appliedChange && changingTools.has(event.name))
      return this.#loadDiffs()
    return undefined
  }

  hear(event: AgentEvent, width: number): Line[] {
    const { words } = this.#options
    switch (event.type) {
      case 'warning':
        return this.#note(
          `⚠ ${formatWarning(localWarning(event.warning, words.language))}`,
          { color: 'yellow' },
          width,
        )
      case 'steer':
        // `conversation.ts` prints it, because it knows the text as it was typed.
        this.#last = undefined
        return []
      case 'request-start':
        this.#waiting = { kind: 'model', since: this.#options.now() }
        // The thought of a reply that could not be carried out is over too.
        return this.#flushThought(width)
      case 'retry':
        this.#waiting = { kind: 'retry', since: this.#options.now(), retry: event }
        return this.#options.printsTodos ? this.#note(this.#waitingText(0), { dim: true }, width) : []
      case 'thought':
        this.#hearText()
        this.#thought += event.text
        return []
      case 'answer':
        this.#hearText()
        return this.#answer(event.text, width)
      case 'answer-reset':
        return this.#takeBack(event, width)
      case 'tool-start':
        this.#calls.set(event.call.id, event.call)
        this.#running.set(event.call.id, cardOf(event.call, this.#options.now()))
        return [...this.#flushThought(width), ...this.#flushAnswer(width)]
      case 'tool-output':
        this.#change(event.call, (card) => ({ ...card, output: withMore(card.output, event.text) }))
        return []
      case 'tool-end':
        return this.#endCall(event, width)
      case 'compaction-start':
        this.#waiting = { kind: 'compaction', since: this.#options.now() }
        return this.#notes([words.work.compactionStart(event.before), ...event.ladder.map(indented)], width)
      case 'compaction-end': {
        const more = [...(event.problem ? [event.problem] : []), ...event.loss].map(indented)
        return this.#notes([words.work.compactionEnd(event.before, event.after), ...more], width)
      }
      case 'agent':
        return this.#hearSubAgent(event, width)
      case 'round-end':
        return this.#end(event, width)
      default:
        return []
    }
  }

  /** The end of a recorded round whose process ended before it did, with the calls that have no result. */
  interrupted(width: number, notRun: ReadonlySet<string>): Line[] {
    const rest = [...this.#flushThought(width), ...this.#flushAnswer(width)]
    const { words } = this.#options
    const calls = [...this.#running.values()].map((card) => {
      const line = notRun.has(card.id) ? words.work.notRun : words.work.effectUnknown
      return finishedCard(card, { status: 'error', line, timeMs: 0 }, { width, words })
    })
    this.#running.clear()
    return [
      ...rest,
      ...this.#apart('card', calls),
      ...this.#note(`✗ ${words.work.interrupted}`, { color: 'red' }, width),
    ]
  }

  /** The current work, in at most so many rows. */
  live(width: number, rows: number): Line[] {
    const open = this.#hasAnswer ? this.#markdown.tail(width, rows) : this.#openThought(width)
    const cards = [...this.#running.values()].flatMap((card) => this.#runningCard(card, width))
    const isQuiet = cards.length === 0 && (open.length === 0 || this.#stalledSeconds > 0)
    return [...open, ...cards, ...(isQuiet ? [this.#waitingLine(width)] : [])].slice(-rows)
  }

  /** For how long a reply that has begun has brought no text. */
  get #stalledSeconds(): number {
    const { kind, since } = this.#waiting
    return kind === 'text' ? Math.floor((this.#options.now() - since) / 1000) : 0
  }

  #runningCard(card: ToolCard, width: number): Line[] {
    const { words, now } = this.#options
    const options = { width, words, now: now(), rows: runningRows }
    const agents = card.name === 'Task' ? this.#agentsOf(card) : []
    return [...runningCard(card, options), ...agents.map((agent) => subAgentLine(agent, options))]
  }

  #waitingLine(width: number): Line {
    const seconds = Math.floor((this.#options.now() - this.#waiting.since) / 1000)
    return truncate([span('◌ ', { color: 'cyan' }), span(this.#waitingText(seconds), { dim: true })], width)
  }

  #waitingText(seconds: number): string {
    const { words, model } = this.#options
    switch (this.#waiting.kind) {
      case 'model':
        return words.work.waiting(visibleLine(model), seconds)
      case 'text':
        return seconds === 0 ? words.work.writing : words.work.noText(seconds)
      case 'compaction':
        return words.work.compacting(seconds)
      case 'retry':
        return this.#retryText()
      default:
        return this.#waiting.kind satisfies never
    }
  }

  /** A countdown, then the try that is under way. */
  #retryText(): string {
    const { now, words } = this.#options
    const { retry, since } = this.#waiting
    if (!retry) return ''
    const left = Math.ceil((since + retry.waitMs - now()) / 1000)
    return words.work.retry(retryReason(retry), Math.max(0, left), tryText(retry))
  }

  #answer(text: string, width: number): Line[] {
    const before = this.#flushThought(width)
    this.#hasAnswer = true
    return [...before, ...this.#apart('answer', this.#markdown.push(text, width))]
  }

  /** Prints the rest of the answer so far. The next text begins a new answer. */
  #flushAnswer(width: number): Line[] {
    const rest = this.#markdown.end(width)
    this.#markdown = new MarkdownStream(this.#options.renderer)
    this.#hasAnswer = false
    return this.#apart('answer', rest)
  }

  /** The printed lines stay. A note follows, unless the text was a thought before tool calls. */
  #takeBack({ as }: Extract<AgentEvent, { type: 'answer-reset' }>, width: number): Line[] {
    if (!this.#hasAnswer) return []
    const shown = this.#flushAnswer(width)
    if (as === 'thought') return shown
    return [...shown, ...this.#note(this.#options.words.work.takenBack, { dim: true }, width)]
  }

  #openThought(width: number): Line[] {
    return thoughtLines(this.#thought.slice(-600), width).slice(-3)
  }

  #flushThought(width: number): Line[] {
    const lines = thoughtLines(this.#thought.trim(), width)
    this.#thought = ''
    return this.#apart('thought', this.#folding(lines, shownThoughtRows, ''))
  }

  #endCall(event: Extract<AgentEvent, { type: 'tool-end' }>, width: number): Line[] {
    const card = this.#running.get(event.call) ?? cardOf({ id: event.call, name: event.name, args: {} }, 0)
    this.#running.delete(event.call)
    this.#waiting = { kind: 'model', since: this.#options.now() }
    const { words } = this.#options
    const head = finishedCard(card, event, { width, words })
    return this.#apart('card', [head, ...this.#details(card, event, width)])
  }

  /** The lines below a call: the diff of a change, the tasks, or a hint that the output can be opened. */
  #details(card: ToolCard, end: CardEnd, width: number): Line[] {
    const { words, resultOf, wasAsked } = this.#options
    const title = `${card.name} ${card.argument}`.trim()
    const todos = card.name === 'TodoWrite' ? todosIn(this.#calls.get(card.id)?.args ?? {}) : []
    if (todos.length > 0 && end.status !== 'error') {
      this.#options.fold?.({ title, lines: () => todoLines(todos, { width, words }) })
      return this.#options.printsTodos || !isUnfinished(todos) ? todoLines(todos, { width, words }) : []
    }
    if (card.name === 'Task') return this.#subAgentsOf(card, width)
    if (changingTools.has(card.name)) {
      const diff = resultOf(card.id)?.diff ?? ''
      const change = this.#appliedChange?.(diff, this.#calls.get(card.id)?.args ?? {})
      // The question of a call has left all of it to open.
      if (diff !== '' && change)
        return wasAsked(card.id) ? [] : this.#folding(change.lines, shownDiffRows, title, change.all)
    }
    // Other results are looked up only when the user opens them, which is rare.
    const canOpen = this.#options.fold !== undefined
    this.#options.fold?.({
      title,
      lines: () => outputLines(resultOf(card.id)?.text ?? card.output).map((text) => [span(text)]),
    })
    const isAnswer = card.name.startsWith('mcp__')
    if (card.name !== 'Bash' && !isAnswer) return []
    const { output, text = '' } = resultOf(card.id) ?? {}
    if (isAnswer) return end.status === 'error' ? [] : answerGlimpse(text, { width, words, canOpen })
    return output ? commandGlimpse(output, { width, words, canOpen }) : []
  }

  /** The first rows, and the number of the others. */
  #folding(lines: readonly Line[], rows: number, title: string, all = lines): Line[] {
    const { fold } = this.#options
    if (!fold || lines.length <= rows + 1) return [...lines]
    fold({ title, lines: () => all })
    const more = this.#options.words.work.moreLines(lines.length - rows)
    return [...lines.slice(0, rows), [span(`  ${more}`, { dim: true })]]
  }

  #hearSubAgent({ agent, task, event }: Extract<AgentEvent, { type: 'agent' }>, width: number): Line[] {
    if (event.type === 'warning') return this.hear(event, width)
    const now = this.#options.now()
    const card = this.#subAgents.get(agent) ?? subAgentCard(task ?? agent, now)
    this.#subAgents.set(agent, heard(card, event, now))
    return []
  }

  /** The sub-agents of a Task. */
  #agentsOf({ id }: ToolCard): readonly SubAgentCard[] {
    const tasks = tasksOf(this.#calls.get(id)?.args ?? {})
    return [...this.#subAgents.values()].filter(({ task }) => tasks.includes(task))
  }

  /** One line per sub-agent, if there are several. The user can open all their calls. */
  #subAgentsOf(card: ToolCard, width: number): Line[] {
    const { words, now, fold } = this.#options
    const agents = this.#agentsOf(card)
    const title = `${card.name} ${card.argument}`.trim()
    if (agents.length === 0) return []
    fold?.({ title, lines: () => agents.flatMap((agent) => subAgentDetails(agent, { width, words })) })
    const lines = agents.map((agent) => subAgentLine(agent, { width, words, now: now() }))
    const hint: Line = truncate([span(`  ${words.work.openHint}`, { dim: true })], width)
    return fold ? [...lines, hint] : lines
  }

  #end({ status, answer = '', message, fault }: RoundEndEvent, width: number): Line[] {
    const isUnseen = !this.#hasAnswer && this.#last !== 'answer' && answer !== ''
    const shown = isUnseen ? this.#answer(answer, width) : []
    this.#running.clear()
    const rest = [...shown, ...this.#flushThought(width), ...this.#flushAnswer(width)]
    const { language, work, marks } = this.#options.words
    if (status === 'done') return [...rest, ...(message ? this.#note(message, { dim: true }, width) : [])]
    // The user has just refused it, and the model has answered that.
    if (status === 'denied' && answer !== '') return rest
    const said = message && message !== status ? localEnd({ message, fault }, language) : ''
    const why = said === '' ? '' : marks.because(adviceHere(said))
    const failed = this.#note(`✗ ${work.ended[status]}${why}`, { color: 'red' }, width)
    return [...rest, ...failed, ...(status === 'fault' ? this.#tryAgain(answer, width) : [])]
  }

  /** The same prompt replaces a round in which nothing was said or done. Plain lines have no history of prompts. */
  #tryAgain(answer: string, width: number): Line[] {
    const { words, printsTodos } = this.#options
    const isFruitless = answer === '' && this.#calls.size === 0
    return isFruitless && !printsTodos ? this.#note(words.work.tryAgain, { dim: true }, width) : []
  }

  #change(id: string, change: (card: ToolCard) => ToolCard): void {
    const card = this.#running.get(id)
    if (card) this.#running.set(id, change(card))
  }

  #note(text: string, style: Style, width: number): Line[] {
    return this.#apart('note', wrap([span(visibleLine(text), style)], width))
  }

  #notes(texts: readonly string[], width: number): Line[] {
    return texts.flatMap((text) => this.#note(text, { dim: true }, width))
  }

  /** Puts a gap before the lines if lines of another kind come before them. */
  #apart(kind: Kind, lines: readonly Line[]): Line[] {
    if (lines.length === 0) return []
    const isApart = this.#last !== undefined && this.#last !== kind
    this.#last = kind
    return isApart ? [[], ...lines] : [...lines]
  }

  async #loadDiffs(): Promise<void> {
    this.#appliedChange = (await import('../cards/applied-change.js')).appliedChange
  }
}

const changingTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write'])

function indented(text: string): string {
  return `  ${text}`
}

function thoughtLines(text: string, width: number): Line[] {
  if (text.trim() === '') return []
  return visibleLines(text).flatMap((line) => wrap([span(line, { dim: true, italic: true })], width))
}
