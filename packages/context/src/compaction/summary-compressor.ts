import { type SummaryMessage, safeLine } from '@mutsumi/schema'
import { lengthTokenCounter, type TokenCounter } from '../ground/ports.js'
import { type RoundRecords, recordsOf } from '../history/records.js'
import type { Round } from '../history/rounds.js'
import { headLine } from '../text/short-text.js'
import { extractiveSummary } from './extractive-summary.js'
import { tokensOfRounds } from './loss-report.js'
import { summaryFault } from './summary-check.js'
import { completeSummary } from './summary-complete.js'
import { type SummaryRequest, type SummaryRequestOptions, summaryRequest } from './summary-request.js'

/**
 * The model that writes summaries, provided by the host. Its errors are shown to the user, so they must not contain
 * keys.
 */
export type SummaryModel = (request: SummaryRequest, signal: AbortSignal) => Promise<string>

/** Calls `then` after this many milliseconds, never at once. Calling the returned function cancels it. */
export type After = (milliseconds: number, then: () => void) => () => void

export interface SummaryCompressorOptions {
  readonly counter?: TokenCounter
  /** The most tokens for the prompt of the request. */
  readonly maxTokens?: number
  readonly after?: After
}

export interface SummarizeOptions {
  /** If it is absent, only the fallback can be used. */
  readonly model?: SummaryModel | undefined
  /** Writes the summary without a model. It is checked like a model's. */
  readonly own?: (() => string) | undefined
  /** Aborted by the user: everything stops, and no fallback replaces the summary. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  readonly previousSummaries?: readonly string[]
  readonly firstRound?: number
  /** The user's own words about what the summary should keep. */
  readonly instructions?: string
  /** Tokens of the rounds that the summary replaces; counted if not given. */
  readonly replaces?: number
  /** The most tokens for the summary. A longer one is cut. */
  readonly room?: number
  /** The replacement if the model writes no summary. */
  readonly fallback?: 'none' | 'extractive'
}

/** A summary, or why there is none, in words for the user. */
export type SummaryOutcome =
  | {
      readonly summary: string
      /** The summary as a message of the history. */
      readonly message: SummaryMessage
      /** Why the summary is not exactly what the model wrote, or not by a model at all. */
      readonly problem?: string
    }
  | {
      readonly problem: string
      readonly reason: 'timeout' | 'failed' | 'refused' | 'cancelled'
    }

/** Asks a model for a summary of the rounds that leave the view, and trusts only what can be checked. */
export class SummaryCompressor {
  readonly #counter: TokenCounter
  readonly #maxTokens: number | undefined
  readonly #after: After

  constructor({
    counter = lengthTokenCounter,
    maxTokens,
    after = afterTimeout,
  }: SummaryCompressorOptions = {}) {
    this.#counter = counter
    this.#maxTokens = maxTokens
    this.#after = after
  }

  async summarize(rounds: readonly Round[], options: SummarizeOptions): Promise<SummaryOutcome> {
    if (options.signal?.aborted) return cancelled
    if (rounds.length === 0) return nothingToDo
    const limits = {
      replaces: options.replaces ?? tokensOfRounds(rounds, this.#counter),
      room: options.room ?? Number.POSITIVE_INFINITY,
    }
    const answer = options.own ? { text: options.own() } : await this.#ask(rounds, options)
    if (options.signal?.aborted) return cancelled
    const judged = 'text' in answer ? this.#judge(answer.text, recordsOf(rounds), limits) : answer
    if ('summary' in judged) return withMessage(judged)
    if (!('why' in judged)) return judged
    const standIn = options.fallback === 'extractive' ? this.#standIn(rounds, limits) : undefined
    if (standIn === undefined)
      return { problem: `${judged.why}, keeping recent history only.`, reason: judged.reason }
    return withMessage({
      summary: standIn,
      problem: `${judged.why}; the summary was made from the records alone.`,
    })
  }

  request(rounds: readonly Round[], options: SummaryRequestOptions = {}): SummaryRequest {
    const maxTokens = options.maxTokens ?? this.#maxTokens
    return summaryRequest(rounds, {
      counter: this.#counter,
      ...options,
      ...(maxTokens !== undefined && { maxTokens }),
    })
  }

  /**
   * The problem with an answer, if any: it is empty, larger than the rounds it replaces, or lacks parts of the
   * template.
   */
  check(answer: string, { replaces }: { readonly replaces: number }): string | undefined {
    return summaryFault(answer, { replaces, counter: this.#counter })
  }

  complete(answer: string, records: RoundRecords): string {
    return completeSummary(answer, records)
  }

  /** Checks the completed summary again, because the records need room too. */
  #judge(answer: string, records: RoundRecords, limits: SummaryLimits): FittedSummary | NoSummary {
    const fault = this.check(answer, limits)
    if (fault !== undefined) return refused(fault)
    const { summary, problem } = this.#fitted(answer, records, limits.room)
    const late = this.#fault(summary, limits)
    return late === undefined ? { summary, ...(problem && { problem }) } : refused(late)
  }

  /** Cuts the parts of the summary more and more until it fits. If it never fits, returns the shortest form. */
  #fitted(answer: string, records: RoundRecords, room: number): FittedSummary {
    const whole = this.complete(answer, records)
    if (this.#counter.count(whole) <= room) return { summary: whole }
    const problem = `The summary was longer than the ${room} tokens that were left for it, so it was cut.`
    let summary = whole
    for (const limit of partLimits) {
      summary = completeSummary(answer, records, limit)
      if (this.#counter.count(summary) <= room) break
    }
    return { summary, problem }
  }

  #standIn(rounds: readonly Round[], limits: SummaryLimits): string | undefined {
    const summary = extractiveSummary(rounds)
    return this.#fault(summary, limits) === undefined ? summary : undefined
  }

  #fault(summary: string, limits: SummaryLimits): string | undefined {
    const tokens = this.#counter.count(summary)
    if (tokens > limits.room)
      return `it takes about ${tokens} tokens, but only ${limits.room} are left for it`
    return this.check(summary, limits)
  }

  /**
   * The model's answer, or the timeout or cancellation that came first. Anything the model does after that is ignored.
   */
  #ask(rounds: readonly Round[], options: SummarizeOptions): Promise<Answer> {
    const { model, signal, timeoutMs = 120_000 } = options
    if (!model) return Promise.resolve(failed('there is no model to write it'))
    const request = this.request(rounds, options)
    const stop = new AbortController()
    return new Promise<Answer>((resolve) => {
      const end = (answer: Answer) => {
        forgetTimer()
        signal?.removeEventListener('abort', cancel)
        resolve(answer)
      }
      const giveUp = (answer: Answer) => {
        end(answer)
        stop.abort()
      }
      const cancel = () => giveUp(cancelled)
      const forgetTimer = this.#after(timeoutMs, () => giveUp(timedOut))
      signal?.addEventListener('abort', cancel)
      answerOf(model, request, stop.signal).then(end)
    })
  }
}

/** The characters to try per part if the summary is too long. */
const partLimits = [4000, 2000, 1000, 500, 200]

interface SummaryLimits {
  readonly replaces: number
  readonly room: number
}

interface FittedSummary {
  readonly summary: string
  readonly problem?: string
}

function withMessage(fitted: FittedSummary): Extract<SummaryOutcome, { readonly summary: string }> {
  return { ...fitted, message: { role: 'summary', content: fitted.summary } }
}

/** Why there is no usable summary from the model. */
interface NoSummary {
  readonly why: string
  readonly reason: 'timeout' | 'failed' | 'refused'
}

type Problem = Extract<SummaryOutcome, { readonly reason: string }>
type Answer = { readonly text: string } | NoSummary | Problem

/** Never rejects. */
async function answerOf(model: SummaryModel, request: SummaryRequest, signal: AbortSignal): Promise<Answer> {
  try {
    const text: unknown = await model(request, signal)
    return typeof text === 'string' ? { text } : failed('the model returned no text')
  } catch (error) {
    return failed(reasonOf(error))
  }
}

const timedOut: NoSummary = { why: 'Summary generation timed out', reason: 'timeout' }

const cancelled: Problem = {
  problem: 'Summary generation was cancelled; nothing was changed.',
  reason: 'cancelled',
}

const nothingToDo: Problem = { problem: 'There is nothing to summarize.', reason: 'refused' }

function failed(why: string): NoSummary {
  return { why: `Summary generation failed (${why})`, reason: 'failed' }
}

function refused(fault: string): NoSummary {
  return { why: `The summary was refused (${fault})`, reason: 'refused' }
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : typeof error === 'string' ? error : ''
  return safeLine(headLine(text, 300)) || 'the model gave no reason'
}

/** Timers accept at most 31 bits. With a larger value they would fire at once. */
const longestTimer = 2 ** 31 - 1

const afterTimeout: After = (milliseconds, then) => {
  const timer = setTimeout(then, Math.min(milliseconds, longestTimer))
  return () => clearTimeout(timer)
}
