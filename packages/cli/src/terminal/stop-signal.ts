import { onClosedPipe } from './output.js'
import { watchReaders } from './pipe-readers.js'

/** A runner such as npx passes Ctrl-C on, although the terminal already sent it. Both count as one. */
const sameMs = 300

/** Ctrl-C stops the round, and so does a closed output pipe. A second Ctrl-C stops the process. */
export function stopOnInterrupt(): AbortSignal {
  const stop = new AbortController()
  let first: number | undefined
  const interrupt = () => {
    if (first !== undefined && performance.now() - first > sameMs) process.exit(130)
    first ??= performance.now()
    stop.abort()
  }
  // Not `once`, because other listeners, such as a tool with a child process, check whether we still listen.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  onClosedPipe(() => stop.abort())
  watchReaders(() => stop.abort())
  return stop.signal
}
