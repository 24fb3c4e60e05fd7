import { onClosedPipe } from './output.js'

/** A runner such as npx passes Ctrl-C on to us, although the terminal did too: that is one Ctrl-C. */
const sameMs = 300

/** Ctrl-C stops the round, and so does a reader that went away; a second Ctrl-C stops the process. */
export function stopOnInterrupt(): AbortSignal {
  const stop = new AbortController()
  let first: number | undefined
  const interrupt = () => {
    if (first !== undefined && performance.now() - first > sameMs) process.exit(130)
    first ??= performance.now()
    stop.abort()
  }
  // Not once: whoever else listens, such as a tool with a child, asks whether we still do.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  onClosedPipe(() => stop.abort())
  return stop.signal
}
