import type { AgentEvent, TokenUsage, Warning } from '@mutsumi/schema'
import { safeJson, safeLine, safeText } from '@mutsumi/schema'
import { failureText } from '../terminal/failure.js'
import { LiveLine } from '../terminal/live-line.js'
import { printNote } from '../terminal/output.js'
import { formatWarning } from '../terminal/warnings.js'
import { RoundProgress } from './round-progress.js'

/** What a run amounts to: the one object of `--json`. Its schema is packages/schema/run.schema.json. */
export interface RunSummary {
  readonly status: RoundEnd['status']
  /** Empty where there is none. */
  readonly answer: string
  readonly message?: string
  /** The file of the session; null where the run failed before there was one. */
  readonly session: string | null
  readonly steps: number
  /** That of sub-agents included. */
  readonly usage: TokenUsage
  readonly tools: readonly { readonly name: string; readonly status: string }[]
  readonly warnings: readonly Warning[]
}

type RoundEnd = Extract<AgentEvent, { type: 'round-end' }>

export type PrintMode = 'text' | 'json' | 'stream-json'

/** Shows a round: the answer on standard output, everything else on standard error, one line each. */
export class RoundPrinter {
  readonly #mode: PrintMode
  readonly #progress = new RoundProgress()
  readonly #live: LiveLine
  readonly #tools: { name: string; status: string }[] = []
  readonly #warnings: Warning[] = []
  #session: string | null = null
  #usage: TokenUsage = { input: 0, output: 0 }
  #steps = 0
  #shown = ''
  /** Of an answer that goes into a pipe: whether it is the answer is known at the end. */
  #held = ''
  #end: RoundEnd | undefined

  constructor(mode: PrintMode) {
    this.#mode = mode
    this.#live = new LiveLine(() => (this.#isMidLine ? undefined : this.#progress.waiting))
  }

  /** The round that is heard of from now on. */
  begin({ session, model }: { readonly session: string; readonly model: string }): void {
    this.#session = session
    this.#progress.model = model
  }

  hear(event: AgentEvent): void {
    this.#remember(event)
    this.#progress.hear(event)
    if (this.#mode === 'stream-json') this.#print(`${safeJson(event)}\n`)
    else if (this.#mode === 'text') this.#show(event)
  }

  /** The run ends by an error, which people are told elsewhere. */
  fail(error: unknown): void {
    const ended = this.#end
    this.#live.stop()
    if (this.#isMidLine) this.#write('\n')
    const message = failureText(error)
    this.#end = { ...ended, type: 'round-end', status: 'failed', message }
    // What was printed as the end stays the end.
    if (this.#mode === 'stream-json' && !ended) this.#print(`${safeJson(this.#end)}\n`)
  }

  /** Nothing more comes. */
  close(): void {
    this.#live.stop()
    if (this.#mode === 'json') this.#print(`${safeJson(this.summary)}\n`)
  }

  get summary(): RunSummary {
    const end = this.#end
    return {
      status: end?.status ?? 'failed',
      answer: end?.answer ?? '',
      ...(end?.message === undefined ? {} : { message: end.message }),
      session: this.#session,
      steps: this.#steps,
      usage: this.#usage,
      tools: this.#tools,
      warnings: this.#warnings,
    }
  }

  #remember(event: AgentEvent): void {
    switch (event.type) {
      case 'request-start':
        this.#steps = event.step
        break
      case 'usage':
        this.#usage = sum(this.#usage, event.usage)
        break
      case 'agent':
        if (event.event.type === 'usage') this.#usage = sum(this.#usage, event.event.usage)
        break
      case 'tool-end':
        this.#tools.push({ name: event.name, status: event.status })
        break
      case 'warning':
        this.#warnings.push(event.warning)
        break
      case 'round-end':
        this.#end = event
        break
      default:
    }
  }

  #show(event: AgentEvent): void {
    switch (event.type) {
      case 'request-start':
        this.#takeBack()
        break
      case 'answer':
        if (process.stdout.isTTY) this.#write(event.text)
        else this.#held += event.text
        break
      case 'warning':
        this.#note(formatWarning(event.warning))
        break
      case 'retry':
        this.#note(
          `… ${event.fault.message.replace(/\.$/, '')}; again in ${Math.ceil(event.waitMs / 1000)} s (try ${event.attempt})`,
        )
        break
      case 'tool-end':
        this.#note(
          `· ${this.#progress.describe(event.call, event.name)} → ${mark(event.status)}${event.line}`,
        )
        break
      case 'compaction-start':
        this.#note(`… compacting the history (${event.before} tokens)`)
        for (const step of event.ladder) this.#note(`  ${step}`)
        break
      case 'compaction-end':
        this.#note(`· compacted: ${event.before} → about ${event.after} tokens`)
        if (event.problem) this.#note(`  ${event.problem}`)
        for (const line of event.loss) this.#note(`  ${line}`)
        break
      case 'agent':
        if (event.event.type === 'tool-end')
          this.#note(`  · [task] ${event.event.name} → ${mark(event.event.status)}${event.event.line}`)
        break
      case 'round-end':
        this.#showEnd(event)
        break
      default:
    }
  }

  /** What was shown of a reply turned out to be no whole answer. */
  #takeBack(): void {
    this.#held = ''
    if (this.#shown === '') return
    if (!this.#shown.endsWith('\n')) this.#write('\n')
    this.#shown = ''
    this.#note('… that was no whole answer; the model is asked again')
  }

  /** What was streamed is not printed twice; an answer that came at once is printed now, and what came of one that was cut. */
  #showEnd({ answer = '', status, message }: RoundEnd): void {
    if (this.#shown === '') this.#write(answer === '' ? this.#held : answer)
    if (this.#shown !== '' && !this.#shown.endsWith('\n')) this.#write('\n')
    if (message)
      this.#note(`mutsumi: ${status === 'done' || status === message ? '' : `${status}: `}${message}`)
  }

  #write(text: string): void {
    this.#shown += text
    this.#print(process.stdout.isTTY ? safeText(text) : text)
  }

  #print(text: string): void {
    this.#live.erase()
    process.stdout.write(text)
  }

  /** One line, whatever it quotes. */
  #note(line: string): void {
    this.#live.erase()
    printNote(safeLine(line))
  }

  /** A line of the answer is being written on the same terminal: another one would be written into it. */
  get #isMidLine(): boolean {
    return process.stdout.isTTY === true && this.#shown !== '' && !this.#shown.endsWith('\n')
  }
}

function mark(status: string): string {
  return status === 'error' ? 'failed: ' : ''
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  const both = (name: 'cached' | 'written') => {
    const total = (one[name] ?? 0) + (other[name] ?? 0)
    return one[name] === undefined && other[name] === undefined ? {} : { [name]: total }
  }
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    ...both('cached'),
    ...both('written'),
  }
}
