import { chmodSync, type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { marksGitFolder } from '../protected/git-places.js'
import { protectedWithin } from '../protected/protected-paths.js'
import { isLocked } from './folder-door.js'

/** The places where a search met names that are not UTF-8, which no string can hold. */
export interface HiddenStarts {
  /** Folders with such names in them. */
  readonly folders: readonly string[]
  /** Links that lead to such names. */
  readonly links: readonly string[]
}

/** As Node reads a name that is not UTF-8. The name may contain the character itself, too. */
export function mayBeHidden(name: string): boolean {
  return name.includes('\ufffd')
}

/** More are not searched. People have such names from old archives, and few of them. */
const folderLimit = 50_000

/**
 * The protected places in folders whose names are not UTF-8, below a root, byte for byte as `latin1`. A new one is taken
 * out whatever it contains.
 */
export function hiddenPlaces(root: string, { folders, links }: HiddenStarts): string[] {
  const top = `${Buffer.from(root).toString('latin1')}/`
  const pending = [
    ...folders.flatMap((folder) => {
      const path = Buffer.from(folder).toString('latin1')
      return foldersIn(path, isHidden)
    }),
    ...links.flatMap(targetOf).filter((path) => path.startsWith(top)),
  ]
  const seen = new Set<string>()
  const places: string[] = []
  for (const folder of pending) {
    if (seen.has(folder) || seen.size >= folderLimit) continue
    seen.add(folder)
    const entries = entriesOf(folder)
    const names = entries.map(({ name }) => name.toString('latin1'))
    if (marksGitFolder((mark) => names.includes(mark))) {
      places.push(folder)
      continue
    }
    const found = names.flatMap(protectedWithin).map((name) => `${folder}/${name}`)
    places.push(...found.filter((path) => statOf(path) !== undefined))
    const whole = new Set(found)
    pending.push(...foldersIn(folder, () => true).filter((path) => !whole.has(path)))
  }
  return places
}

export function bytesOf(place: string): Buffer {
  return Buffer.from(place, 'latin1')
}

export function isHidden(name: Buffer): boolean {
  return !Buffer.from(name.toString()).equals(name)
}

function foldersIn(folder: string, admits: (name: Buffer) => boolean): string[] {
  return entriesOf(folder).flatMap((entry) =>
    entry.isDirectory() && admits(entry.name) ? [`${folder}/${entry.name.toString('latin1')}`] : [],
  )
}

function targetOf(link: string): string[] {
  try {
    return [realpathSync.native(link, { encoding: 'buffer' }).toString('latin1')]
  } catch {
    // It is gone.
    return []
  }
}

/** The command may have locked the folder, which belongs to the user. */
function entriesOf(folder: string): Dirent<Buffer>[] {
  const path = bytesOf(folder)
  try {
    const stat = statOf(folder)
    if (stat?.isDirectory() && isLocked(stat)) chmodSync(path, (stat.mode & 0o7777) | 0o700)
    return readdirSync(path, { withFileTypes: true, encoding: 'buffer' })
  } catch {
    // It is gone, or another user's.
    return []
  }
}

function statOf(place: string): Stats | undefined {
  try {
    return lstatSync(bytesOf(place), { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
