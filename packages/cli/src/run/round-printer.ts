import { describeReason } from '@mutsumi/context/parts'
import { isFailedExit } from '@mutsumi/host'
import type { AgentEvent, InitEvent, RoundEndEvent, RunEvent } from '@mutsumi/schema'
import { safeJson, safeLine, safeText } from '@mutsumi/schema'
import { amount } from '../terminal/amounts.js'
import { failureText } from '../terminal/failure.js'
import { LiveLine } from '../terminal/live-line.js'
import { printNote } from '../terminal/output.js'
import { formatWarning } from '../terminal/warnings.js'
import { say, sayEnd, sayLine, sayRefusal, sayWord } from '../words/say.js'
import { retryReason, tryText } from './retry-text.js'
import { RoundProgress } from './round-progress.js'
import { RunDetails } from './run-details.js'
import { type RunSummary, RunTally } from './run-tally.js'

export type PrintMode = 'text' | 'json' | 'stream-json'

export interface PrinterOptions {
  /** No progress lines. */
  readonly quiet?: boolean | undefined
  /** More progress lines. */
  readonly verbose?: boolean | undefined
}

/** Prints a run: the answer to standard output, everything else to standard error, one line each. */
export class RoundPrinter {
  readonly #mode: PrintMode
  readonly #quiet: boolean
  readonly #details: RunDetails | undefined
  readonly #progress = new RoundProgress()
  readonly #live: LiveLine
  readonly #tally = new RunTally()
  #shown = ''
  /** The text of an answer for a pipe: only the end shows whether it is the answer. */
  #held = ''

  /** Whether a round has begun. */
  hasBegun = false
  #keep: ((end: string | undefined) => void) | undefined
  #keptEnd: RoundEndEvent | undefined

  constructor(mode: PrintMode, { quiet = false, verbose = false }: PrinterOptions = {}) {
    this.#mode = mode
    this.#quiet = quiet
    this.#details = verbose ? new RunDetails() : undefined
    this.#live = new LiveLine(() => (quiet || this.#isMidLine ? undefined : this.#progress.waiting))
  }

  /**
   * Passes on what must be printed if the process is killed and the run ends with `end`, whenever that changes: nothing
   * for people, and nothing after the end was printed.
   */
  keepEnd(end: RoundEndEvent, keep: (printed: string | undefined) => void): void {
    if (this.#mode === 'text') return
    this.#keptEnd = end
    this.#keep = keep
    this.#keepNow()
  }

  #keepNow(): void {
    if (!this.#keep || !this.#keptEnd) return
    const { type, status, message = '' } = this.#keptEnd
    const isPrinted = this.#mode === 'stream-json' && this.#tally.end !== undefined
    const end =
      this.#mode === 'json'
        ? { ...this.summary, status, message }
        : { type, status, message, ...this.#tally.totals }
    this.#keep(isPrinted ? undefined : `${safeJson(end)}\n`)
  }

  /** The model was chosen. A run that fails from now on reports it. */
  chose(model: string): void {
    this.#tally.model = model
    this.#progress.model = model
  }

  /** A new round begins. */
  begin(init: Omit<InitEvent, 'type'>): void {
    this.chose(init.model)
    this.#tally.session = init.session
    this.hasBegun = true
    this.#keepNow()
    if (this.#mode === 'stream-json') this.#printEvent({ type: 'init', ...init })
  }

  hear(event: AgentEvent): void {
    this.#tally.hear(event)
    this.#progress.hear(event)
    if (this.#mode === 'stream-json') this.#printEvent(this.#asPrinted(event))
    else if (this.#mode === 'text') this.#show(event)
    for (const line of this.#details?.of(event) ?? []) this.#note(line)
    if (totalled.has(event.type)) this.#keepNow()
  }

  /** The run ends with an error, which is reported to people elsewhere. */
  fail(error: unknown): void {
    const ended = this.#tally.end
    this.#live.stop()
    if (this.#isMidLine) this.#write('\n')
    this.#tally.hear({ ...ended, type: 'round-end', status: 'failed', message: failureText(error) })
    // The end is printed only once.
    if (this.#mode === 'stream-json' && !ended && this.#tally.end) this.#printEvent(this.#tally.end)
  }

  /** There is no more output. */
  close(): void {
    this.#live.stop()
    if (this.#mode === 'json') this.#print(`${safeJson(this.summary)}\n`)
  }

  get summary(): RunSummary {
    return this.#tally.summary
  }

  /** The end contains the totals of the run. */
  #asPrinted(event: AgentEvent): RunEvent {
    if (event.type !== 'round-end') return event
    return this.#tally.end ?? { ...event, ...this.#tally.totals }
  }

  #show(event: AgentEvent): void {
    switch (event.type) {
      case 'answer-reset':
        this.#takeBack(event)
        break
      case 'answer':
        if (process.stdout.isTTY) this.#write(event.text)
        else this.#held += event.text
        break
      case 'warning':
        this.#note(formatWarning(event.warning))
        break
      case 'retry':
        // A terminal shows it in the live line.
        if (!this.#live.isShown)
          this.#tell(
            say`… ${retryReason(event)}; again in ${Math.ceil(event.waitMs / 1000)} s (${tryText(event)})`,
          )
        break
      case 'tool-end':
        this.#tell(
          `· ${this.#progress.describe(event.call, event.name)} → ${mark(event.status)}${sayLine(event)}`,
        )
        this.#tellOutput(event)
        break
      case 'compaction-start':
        this.#tell(`… ${sayRefusal(describeReason(event.before, event.reason))}`)
        for (const step of event.ladder) this.#tell(`  ${sayRefusal(step)}`)
        break
      case 'compaction-end':
        this.#tell(say`· compacted: ${amount(event.before)} → about ${amount(event.after)} tokens`)
        if (event.problem) this.#tell(`  ${event.problem}`)
        for (const line of event.loss) this.#tell(`  ${sayRefusal(line)}`)
        break
      case 'agent':
        if (event.event.type === 'tool-end')
          this.#tell(`  · [task] ${event.event.name} → ${mark(event.event.status)}${sayLine(event.event)}`)
        if (event.event.type === 'warning') this.#note(formatWarning(event.event.warning))
        break
      case 'round-end':
        this.#showEnd(event)
        break
      default:
    }
  }

  /** The shown text was not the answer. Words before a call stay on the screen. */
  #takeBack({ as }: Extract<AgentEvent, { type: 'answer-reset' }>): void {
    this.#held = ''
    if (this.#shown === '') return
    if (!this.#shown.endsWith('\n')) this.#write('\n')
    this.#shown = ''
    if (as !== 'thought') this.#note(say`… that answer was not complete; asking the model again`)
  }

  /**
   * Streamed text is not printed twice. An answer that arrived at once is printed now, and so is the part of a cut
   * answer.
   */
  #showEnd({ answer = '', output, status, message, fault }: RoundEndEvent): void {
    // With a schema, a program reads the pipe, so it gets the value without the fence around it.
    const whole = output === undefined ? answer : JSON.stringify(output)
    if (this.#shown === '') this.#write(whole === '' ? this.#held : whole)
    if (this.#shown !== '' && !this.#shown.endsWith('\n')) this.#write('\n')
    if (!message) return
    const why = sayEnd({ message, fault })
    this.#note(`mutsumi: ${status === 'done' || status === message ? why : say`${sayWord(status)}: ${why}`}`)
  }

  #write(text: string): void {
    this.#shown += text
    this.#print(process.stdout.isTTY ? safeText(text) : text)
  }

  #print(text: string): void {
    this.#live.erase()
    process.stdout.write(text)
  }

  /** A line about progress. */
  #tell(line: string): void {
    if (!this.#quiet) this.#note(line)
  }

  /** The end of what a failed command wrote. */
  #tellOutput({ call, phrase }: Extract<AgentEvent, { type: 'tool-end' }>): void {
    const lines = this.#progress.takeOutput(call)
    if (phrase && isFailedExit(phrase)) for (const line of lines) this.#tell(`  ${line}`)
  }

  #printEvent(event: RunEvent): void {
    this.#print(`${safeJson(event)}\n`)
  }

  /** Always one line. */
  #note(line: string): void {
    this.#live.erase()
    printNote(safeLine(line))
  }

  /** A line of the answer is still open on the same terminal, and another line would be written into it. */
  get #isMidLine(): boolean {
    return process.stdout.isTTY === true && this.#shown !== '' && !this.#shown.endsWith('\n')
  }
}

/** The events that change the totals of a run. */
const totalled: ReadonlySet<AgentEvent['type']> = new Set([
  'request-start',
  'usage',
  'tool-end',
  'warning',
  'round-end',
])

function mark(status: string): string {
  return status === 'error' ? say`failed: ` : ''
}
