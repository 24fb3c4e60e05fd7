import { type Dirent, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { basesOf } from '../permission/judge-path.js'
import { direntsOf } from '../workspace/look-at.js'
import { isDeniedPath, leadsToDenied, type PathPattern } from '../workspace/path-pattern.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import type { Secret } from './sandbox.js'

/** Existing paths that rules deny reading. */
export interface DeniedPaths {
  readonly found: readonly Secret[]
  /** Folders above them. If one got another name, the rules would no longer match. */
  readonly above: readonly string[]
  /** False if there was too much to search or too much to hide. */
  readonly complete: boolean
}

export interface DeniedPlaces {
  /** The folders that the user opened. */
  readonly roots: readonly string[]
  readonly home: string
  /** The folders that are visible to a command. */
  readonly visible: readonly string[]
}

/** Finds the paths that match the patterns. It enters only folders where one of them could still match. */
export function findDenied(patterns: readonly PathPattern[], places: DeniedPlaces): DeniedPaths {
  const search = new Search(places)
  for (const pattern of patterns)
    for (const base of basesOf(pattern, places)) search.below(base, { pattern, base })
  search.otherNames(places.roots)
  const { found, above } = search
  const complete = search.complete && Math.max(found.size, above.size) <= maskLimit
  return { found: [...found.values()], above: [...above], complete }
}

/** The most folders that are listed for one command. */
const folderLimit = 20_000

/** Each one is a mount. */
const maskLimit = 200

/** A name that no pattern contains. */
const anyName = '\u0001'

interface NamedFile {
  readonly path: string
  /** The same for all names of the file. */
  readonly key: string
  readonly names: number
}

interface Meant {
  readonly pattern: PathPattern
  readonly base: string
}

class Search {
  readonly found = new Map<string, Secret>()
  readonly above = new Set<string>()
  complete = true
  readonly #visible: readonly string[]
  readonly #roots: readonly string[]
  #listed = 0

  constructor({ visible, roots }: DeniedPlaces) {
    this.#visible = visible
    this.#roots = roots
  }

  below(start: string, { pattern, base }: Meant): void {
    const folders = [start]
    const followed = new Set<string>()
    for (const folder of folders) {
      if (++this.#listed > folderLimit) {
        this.complete = false
        return
      }
      for (const entry of direntsOf(folder) ?? []) {
        const path = join(folder, entry.name)
        if (!this.#isVisible(path)) continue
        const inside = path.slice(base === '/' ? 1 : base.length + 1)
        if (isDeniedPath(pattern, inside)) this.#hold(path, { pattern, base })
        else if (!entry.isDirectory() && !leadsToFolder(entry, path, followed)) continue
        // `secrets/**` means everything in it: one mount over the folder also hides files that are created there
        // later.
        else if (isDeniedPath(pattern, `${inside}/${anyName}`)) this.#hold(path, { pattern, base }, [anyName])
        else if (leadsToDenied(pattern, `${inside}/`)) folders.push(path)
      }
    }
  }

  /**
   * A hard link is a second name for a denied file, and a mask covers only one name. Most files have one, and then
   * nothing is searched. Files in a folder that is hidden as a whole are not looked at: it may hold thousands.
   */
  otherNames(roots: readonly string[]): void {
    const files = [...this.found.values()].filter(({ kind }) => kind === 'file').map(({ path }) => path)
    const keys = new Set([...this.#filesBelow(files)].flatMap(({ key, names }) => (names > 1 ? [key] : [])))
    if (keys.size === 0) return
    for (const { path, key } of this.#filesBelow(roots)) if (keys.has(key)) this.#hide(path)
  }

  *#filesBelow(starts: readonly string[]): Generator<NamedFile> {
    const places = [...starts]
    for (const place of places) {
      const found = lstatSync(place, { bigint: true, throwIfNoEntry: false })
      if (found?.isFile()) yield { path: place, key: `${found.dev}:${found.ino}`, names: Number(found.nlink) }
      if (!found?.isDirectory()) continue
      if (++this.#listed > folderLimit) {
        this.complete = false
        return
      }
      for (const entry of direntsOf(place) ?? [])
        if (entry.isFile() || entry.isDirectory()) places.push(join(place, entry.name))
    }
  }

  #isVisible(path: string): boolean {
    return this.#visible.some((folder) => isInside(folder, path) || isInside(path, folder))
  }

  /** Hides a path, and keeps it where it is. `inner`: names in it that the pattern needs to match. */
  #hold(path: string, { pattern, base }: Meant, inner: readonly string[] = []): void {
    const real = this.#hide(path)
    if (real === undefined) return
    const matchesAnywhere = (folder: string) =>
      real === path &&
      this.#roots.includes(base) &&
      depths.every((depth) => isDeniedPath(pattern, below(depth, [relativeTo(folder, real), ...inner])))
    for (let at = dirname(real); this.#isBelowRoot(at); at = dirname(at))
      if (!matchesAnywhere(at)) this.above.add(at)
  }

  #isBelowRoot(path: string): boolean {
    return this.#roots.some((root) => path !== root && isInside(root, path))
  }

  /** A link is followed: its target is meant. Returns the real path. */
  #hide(path: string): string | undefined {
    const real = realPathOf(path)
    const kind = real === undefined ? undefined : kindAt(real)
    if (real === undefined || kind === undefined) return undefined
    this.found.set(real, { path: real, kind })
    return real
  }
}

/** How deep a command could put a folder with another name. A pattern that begins with two stars matches at all of them. */
const depths = [1, 2, 9]

function below(depth: number, names: readonly string[]): string {
  return [...Array.from({ length: depth }, () => anyName), ...names].join('/')
}

/** Each folder is entered through one link only, because links may form a cycle. */
function leadsToFolder(entry: Dirent, path: string, followed: Set<string>): boolean {
  const real = entry.isSymbolicLink() ? realPathOf(path) : undefined
  if (real === undefined || kindAt(real) !== 'folder' || followed.has(real)) return false
  followed.add(real)
  return true
}

function kindAt(path: string): Secret['kind'] | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return 'folder'
  return found === undefined ? undefined : 'file'
}
