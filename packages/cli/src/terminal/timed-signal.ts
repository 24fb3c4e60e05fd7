/** A signal that is aborted by another one or by a timer, whichever comes first. */
export interface TimedSignal {
  readonly signal: AbortSignal
  /** Stops the timer. */
  close(): void
}

/** The time of `--timeout` starts now. As with `AbortSignal.timeout`, the reason is a `TimeoutError`. */
export function withTimeout(stop: AbortSignal, seconds: number | undefined): TimedSignal {
  if (seconds === undefined) return { signal: stop, close: () => undefined }
  const both = new AbortController()
  const forward = () => both.abort(stop.reason)
  if (stop.aborted) forward()
  stop.addEventListener('abort', forward, { once: true })
  const message = `stopped after ${seconds} s, the limit of --timeout`
  const timer = setTimeout(() => both.abort(new DOMException(message, 'TimeoutError')), seconds * 1000)
  return { signal: both.signal, close: () => clearTimeout(timer) }
}
