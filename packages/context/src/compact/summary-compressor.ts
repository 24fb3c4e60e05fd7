import { safeLine } from '@mutsumi/schema'
import { lengthTokenCounter, type TokenCounter } from '../ports.js'
import { type RoundRecords, recordsOf } from '../rounds/records.js'
import type { Round } from '../rounds/rounds.js'
import { headLine } from '../rounds/short-text.js'
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
  /** Tokens of what the summary stands for; counted where not given. */
  readonly replaces?: number
  /** What stands in where the model gives no summary. */
  readonly fallback?: 'none' | 'extractive'
}

/** A summary, or why there is none, in words for the user. */
export type SummaryOutcome =
  | {
      readonly summary: string
      /** Why it was made from the records alone. */
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
    const replaces = options.replaces ?? tokensOfRounds(rounds, this.#counter)
    const answer = await this.#ask(this.request(rounds, options), options)
    if (options.signal?.aborted) return cancelled
    const judged = 'text' in answer ? this.#judge(answer.text, recordsOf(rounds), replaces) : answer
    if (!('why' in judged)) return judged
    const standIn = options.fallback === 'extractive' ? this.#standIn(rounds, replaces) : undefined
    if (standIn === undefined)
      return { problem: `${judged.why}, keeping recent history only.`, reason: judged.reason }
    return { summary: standIn, problem: `${judged.why}; the summary was made from the records alone.` }
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
  #judge(answer: string, records: RoundRecords, replaces: number): { readonly summary: string } | NoSummary {
    const fault = this.check(answer, { replaces })
    if (fault !== undefined) return refused(fault)
    const summary = this.complete(answer, records)
    const late = this.check(summary, { replaces })
    return late === undefined ? { summary } : refused(late)
  }

  #standIn(rounds: readonly Round[], replaces: number): string | undefined {
    const summary = extractiveSummary(rounds)
    return this.check(summary, { replaces }) === undefined ? summary : undefined
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
