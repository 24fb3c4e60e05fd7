let heard = (): void => undefined

/** Work that must not be cut in the middle, and that takes long without a pause, calls this again and again. */
export function showLife(): void {
  heard()
}

/** For a watchdog, which would end a process that seems to hang. */
export function onSignOfLife(listener: () => void): void {
  heard = listener
}
