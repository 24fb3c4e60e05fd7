import type { Watchdog } from './watchdog.js'

/** A signal that is aborted by another one or by a timer, whichever comes first. */
export interface TimedSignal {
  readonly signal: AbortSignal
  /** Watches that the run really ends, if it has a time limit. */
  readonly watchdog?: Watchdog
  /** Stops the timer. */
  close(): void
}

/** The time of `--timeout` starts now. As with `AbortSignal.timeout`, the reason is a `TimeoutError`. */
export async function withTimeout(stop: AbortSignal, seconds: number | undefined): Promise<TimedSignal> {
  if (seconds === undefined) return { signal: stop, close: () => undefined }
  const both = new AbortController()
  const forward = () => both.abort(stop.reason)
  if (stop.aborted) forward()
  stop.addEventListener('abort', forward, { once: true })
  const message = timeoutMessage(seconds)
  const timer = setTimeout(() => both.abort(new DOMException(message, 'TimeoutError')), seconds * 1000)
  // A run without a limit does not load it.
  const { Watchdog } = await import('./watchdog.js')
  const watchdog = new Watchdog({ seconds, sentence: `mutsumi: timeout: ${message}, ${unanswering}` })
  const close = () => {
    clearTimeout(timer)
    watchdog.close()
  }
  return { signal: both.signal, watchdog, close }
}

export function timeoutMessage(seconds: number): string {
  return `stopped after ${seconds} s, the limit of --timeout`
}

/** How a run ended that had to be killed. */
export const unanswering = 'and killed, because it did not answer'

/** Rejects when work that was asked to stop has had `graceMs` for it. `close` when the work is done. */
export function afterGrace(stop: AbortSignal, graceMs: () => number): Grace {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    const begin = () => {
      timer = setTimeout(() => reject(new AbandonedError()), graceMs())
    }
    if (stop.aborted) begin()
    else stop.addEventListener('abort', begin, { once: true })
  })
  return { over, close: () => clearTimeout(timer) }
}

export interface Grace {
  readonly over: Promise<never>
  close(): void
}

/** The run was asked to stop, and something in it did not. */
export class AbandonedError extends Error {}
