import { readFileSync, readlinkSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { once } from '@mutsumi/schema'
import { direntsOf, statOf } from '../workspace/look-at.js'
import { isInside } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'

/**
 * The sockets in visible folders. A read-only mount does not stop a program from connecting to a socket, and whatever
 * listens there runs outside the sandbox. `found` are those that the search of the workspace has seen; the kernel lists
 * all others.
 */
export function foreignSockets(found: readonly string[], shown: readonly string[]): string[] {
  const isShown = (path: string) => shown.some((folder) => isInside(folder, path))
  const all = boundSockets()
  const absolute = all.filter(({ name }) => name.startsWith('/')).map(({ name }) => name)
  const folders = once(foldersOfProcesses)
  const relative = all.filter(({ name, listens }) => listens && !name.startsWith('/'))
  const bound = [...absolute, ...relative.flatMap((socket) => placesOf(socket, folders))].flatMap((path) => {
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
  const names = new Set(made.length === 0 ? [] : boundSockets().map(({ name }) => basename(name)))
  for (const path of made) {
    const stat = names.has(basename(path)) ? undefined : statOf(path)
    if (stat !== undefined) madeByCommands.add(identity(path, stat))
  }
}

function identity(path: string, { dev, ino, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${ctimeMs} ${path}`
}

interface BoundSocket {
  /** As its program named it when it bound the socket. */
  readonly name: string
  /** The kernel's number of the socket itself. */
  readonly number: string
  /** False for the ends of its connections, which have the same name. */
  readonly listens: boolean
}

/** One line a socket: seven fields, then its path, if it has one. Abstract names begin with `@`. */
function boundSockets(): BoundSocket[] {
  if (process.platform !== 'linux') return []
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
    return lines.flatMap((line) => {
      const [, flags, type, number = '', name] =
        /^(?:\S+ +){3}(\S+) +(\S+) +\S+ +(\S+) ([^@].*)$/.exec(line) ?? []
      const listens = flags === '00010000' || type === '0002'
      return name === undefined ? [] : [{ name, number, listens }]
    })
  } catch {
    // Without /proc, only the search of the workspace finds sockets.
    return []
  }
}

const relativePlaces = new Map<string, readonly string[]>()

/**
 * The kernel does not say from which folder a relative name was bound, so the name is tried in the folders of all
 * processes that we may look at. Few sockets have such names, and each is looked for once.
 */
function placesOf({ name, number }: BoundSocket, folders: () => readonly string[]): readonly string[] {
  const key = `${number} ${name}`
  const known = relativePlaces.get(key)
  if (known !== undefined) return known
  const found = folders()
    .map((folder) => join(folder, name))
    .filter((path) => statOf(path)?.isSocket() === true)
  relativePlaces.set(key, found)
  return found
}

function foldersOfProcesses(): string[] {
  const numbers = (direntsOf('/proc') ?? []).map(({ name }) => name).filter((name) => /^\d+$/.test(name))
  return [...new Set(numbers.flatMap((number) => folderOf(number) ?? []))]
}

function folderOf(process: string): string | undefined {
  try {
    return readlinkSync(`/proc/${process}/cwd`)
  } catch {
    // It has ended, or it is another user's.
    return undefined
  }
}
