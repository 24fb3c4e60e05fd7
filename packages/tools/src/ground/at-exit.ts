const callbacks = new Set<() => void>()

/**
 * Registers a callback for the end of our process, normal or by a signal. The returned function unregisters it. All
 * callbacks share one listener, because Node warns about more than ten.
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

/** In reverse order: a command must end before its protected paths are released. */
function callAll(): void {
  for (const callback of [...callbacks].reverse()) callback()
}

/**
 * A signal with a listener no longer ends the process, so it is sent again. If the host listens too, the host decides.
 */
function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  stopListening()
  callAll()
  process.kill(process.pid, signal)
}
