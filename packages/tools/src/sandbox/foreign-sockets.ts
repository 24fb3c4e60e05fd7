import { readFileSync, type Stats } from 'node:fs'
import { basename } from 'node:path'
import { statOf } from '../workspace/look-at.js'
import { isInside } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'

/**
 * The sockets in visible folders. A read-only mount does not stop a program from connecting to a socket, and whatever
 * listens there runs outside the sandbox. `found` are those that the search of the workspace has seen; the kernel lists
 * others that are bound to an absolute path.
 */
export function foreignSockets(found: readonly string[], shown: readonly string[]): string[] {
  const isShown = (path: string) => shown.some((folder) => isInside(folder, path))
  const bound = boundPaths().flatMap((path) => {
    if (isShown(path)) return [path]
    return scratch.some((folder) => isInside(folder, path)) ? [] : (realPathOf(path) ?? [])
  })
  return [...new Set([...found, ...bound])].filter((path) => {
    const stat = isShown(path) ? statOf(path) : undefined
    return stat?.isSocket() && !madeByCommands.has(identity(path, stat))
  })
}

/** Private inside, and full of sockets. */
const scratch = ['/run', '/var/run', '/tmp']

const madeByCommands = new Set<string>()

/** The sockets that appeared while a command ran. It has ended, so nobody listens there, and the next may replace them. */
export function rememberSockets(before: readonly string[], after: readonly string[]): void {
  const made = after.filter((path) => !before.includes(path))
  // Somebody else may have made one meanwhile, and listens there still.
  const names = new Set(made.length === 0 ? [] : boundNames().map((path) => basename(path)))
  for (const path of made) {
    const stat = names.has(basename(path)) ? undefined : statOf(path)
    if (stat !== undefined) madeByCommands.add(identity(path, stat))
  }
}

function identity(path: string, { dev, ino, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${ctimeMs} ${path}`
}

function boundPaths(): string[] {
  return boundNames().filter((path) => path.startsWith('/'))
}

/** One line a socket: seven fields, then its path, if it has one. Abstract names begin with `@`. */
function boundNames(): string[] {
  if (process.platform !== 'linux') return []
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
    return lines.flatMap((line) => /^(?:\S+ +){6}\S+ ([^@].*)$/.exec(line)?.[1] ?? [])
  } catch {
    // Without /proc, only the search of the workspace finds sockets.
    return []
  }
}
