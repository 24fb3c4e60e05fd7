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

/** The model that writes summaries, lent by the host. What it throws is told to the user: no key may be in it. */
export type SummaryModel = (request: SummaryRequest, signal: AbortSignal) => Promise<string>

/** Calls `then` after so many milliseconds, never at once, unless what it returns is called before. */
export type After = (milliseconds: number, then: () => void) => () => void

export interface SummaryCompressorOptions {
  readonly counter?: TokenCounter
  /** Tokens that the request's prompt may take. */
  readonly maxTokens?: number
  readonly after?: After
}

export interface SummarizeOptions {
  /** Absent where there is none: then only the fallback is left. */
  readonly model?: SummaryModel | undefined
  /** The user's: stops everything, and nothing stands in for the summary. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  readonly previousSummaries?: readonly string[]
  readonly firstRound?: number
  /** The user's own words on what the summary should keep. */
  readonly instructions?: string
  /** Tokens of what the summary stands for; counted where not given. */
  readonly replaces?: number
  /** Tokens that there is room for: a longer summary is cut to them. */
  readonly room?: number
  /** What stands in where the model gives no summary. */
  readonly fallback?: 'none' | 'extractive'
}

/** A summary, or why there is none, in words for the user. */
export type SummaryOutcome =
  | {
      readonly summary: string
      /** The same as history keeps it. */
      readonly message: SummaryMessage
      /** Why it is not all of what a model wrote, or none of it. */
      readonly problem?: string
    }
  | {
      readonly problem: string
      readonly reason: 'timeout' | 'failed' | 'refused' | 'cancelled'
    }

/** Has a model write the summary of rounds that leave the view, and believes it only as far as it can be checked. */
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
    const answer = await this.#ask(this.request(rounds, options), options)
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

  /** What is wrong with an answer, if anything is: empty, larger than what it replaces, without the template's parts. */
  check(answer: string, { replaces }: { readonly replaces: number }): string | undefined {
    return summaryFault(answer, { replaces, counter: this.#counter })
  }

  complete(answer: string, records: RoundRecords): string {
    return completeSummary(answer, records)
  }

  /** Checked again when complete: the records take room too. */
  #judge(answer: string, records: RoundRecords, limits: SummaryLimits): FittedSummary | NoSummary {
    const fault = this.check(answer, limits)
    if (fault !== undefined) return refused(fault)
    const { summary, problem } = this.#fitted(answer, records, limits.room)
    const late = this.#fault(summary, limits)
    return late === undefined ? { summary, ...(problem && { problem }) } : refused(late)
  }

  /** The summary, its parts cut to ever fewer characters until it fits; where it does not, its shortest form. */
  #fitted(answer: string, records: RoundRecords, room: number): FittedSummary {
    const whole = this.complete(answer, records)
    if (this.#counter.count(whole) <= room) return { summary: whole }
    const problem = `The summary was longer than the ${room} tokens there is room for; it was cut.`
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
    if (tokens > limits.room) return `it takes about ${tokens} tokens, and there is room for ${limits.room}`
    return this.check(summary, limits)
  }

  /** The model's answer, or what came before it. Whatever the model still does then is of no consequence. */
  #ask(request: SummaryRequest, { model, signal, timeoutMs = 120_000 }: SummarizeOptions): Promise<Answer> {
    if (!model) return Promise.resolve(failed('there is no model to write it'))
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

/** Characters that each part of a summary may take where all of them take too much. */
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

/** Why the model gave no summary that can be used. */
interface NoSummary {
  readonly why: string
  readonly reason: 'timeout' | 'failed' | 'refused'
}

type Problem = Extract<SummaryOutcome, { readonly reason: string }>
type Answer = { readonly text: string } | NoSummary | Problem

/** Never rejects, whatever the model does. */
async function answerOf(model: SummaryModel, request: SummaryRequest, signal: AbortSignal): Promise<Answer> {
  try {
    const text: unknown = await model(request, signal)
    return typeof text === 'string' ? { text } : failed('the model gave no text')
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

/** Timers take no more than 31 bits: beyond that they would be over at once. */
const longestTimer = 2 ** 31 - 1

const afterTimeout: After = (milliseconds, then) => {
  const timer = setTimeout(then, Math.min(milliseconds, longestTimer))
  return () => clearTimeout(timer)
}
