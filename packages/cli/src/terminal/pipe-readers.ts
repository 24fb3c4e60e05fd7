import { fstatSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'

/** How often the reader is looked for. */
const pauseMs = 1000

/**
 * Calls `onGone` when nobody reads standard output any more. A pipe says that only to somebody who writes, and a round
 * may run a command for minutes without a word. Linux shows who has a pipe open; elsewhere the next word has to do.
 * Never keeps the process alive.
 */
export function watchReaders(onGone: () => void): void {
  if (process.platform !== 'linux' || !isPipe(1)) return
  const pipe = linkOf('/proc/self/fd/1')
  let readers: readonly number[] | undefined
  const timer = setInterval(look, pauseMs).unref()

  function look(): void {
    const isFirst = readers === undefined
    readers = readers?.filter((pid) => mayRead(pid, pipe)) ?? []
    if (readers.length > 0) return
    // Another process may have taken the pipe over.
    readers = readersOf(pipe)
    if (readers.length > 0) return
    clearInterval(timer)
    // None at first: the reader is in another container, or belongs to another user.
    if (!isFirst) onGone()
  }
}

function isPipe(fd: number): boolean {
  try {
    return fstatSync(fd).isFIFO()
  } catch {
    // It is closed.
    return false
  }
}

/** The other processes of this user that have the reading end of the pipe open. */
function readersOf(pipe: string | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && hasOpen(pid, pipe) === true)
}

/** A reader that may no longer be looked at, such as `sudo`, reads as long as it runs. */
function mayRead(pid: number, pipe: string | undefined): boolean {
  return hasOpen(pid, pipe) !== false
}

/** Undefined if that may not be looked at. */
function hasOpen(pid: number, pipe: string | undefined): boolean | undefined {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some(
      (fd) => linkOf(`${folder}/${fd}`) === pipe && isForReading(`${folder}/${fd}`),
    )
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? undefined : false
  }
}

/** The mode of such a link says what the descriptor is open for. */
function isForReading(path: string): boolean {
  return (lstatSync(path).mode & 0o400) !== 0
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // It was closed just now.
    return undefined
  }
}
