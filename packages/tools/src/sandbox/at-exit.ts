const callbacks = new Set<() => void>()

/** Calls back when our process exits; what it returns takes that back. One listener for all: Node warns of more than ten. */
export function atExit(callback: () => void): () => void {
  if (callbacks.size === 0) process.on('exit', callAll)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size === 0) process.off('exit', callAll)
  }
}

function callAll(): void {
  for (const callback of callbacks) callback()
}
