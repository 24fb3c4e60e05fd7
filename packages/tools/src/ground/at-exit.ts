const callbacks = new Set<() => void>()

/**
 * Calls back when our process ends, by itself or by a signal; what it returns takes that back. One listener for
 * all: Node warns of more than ten.
 */
export function atExit(callback: () => void): () => void {
  if (callbacks.size === 0) listen()
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size === 0) stopListening()
  }
}

const endings = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

function listen(): void {
  process.on('exit', callAll)
  for (const signal of endings) process.on(signal, endBy)
}

function stopListening(): void {
  process.off('exit', callAll)
  for (const signal of endings) process.off(signal, endBy)
}

/** What came last goes first: a command ends before what it may not touch is let go. */
function callAll(): void {
  for (const callback of [...callbacks].reverse()) callback()
}

/** A signal that has a listener no longer ends the process, so it is sent again. Where the host listens too, it decides. */
function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  stopListening()
  callAll()
  process.kill(process.pid, signal)
}
