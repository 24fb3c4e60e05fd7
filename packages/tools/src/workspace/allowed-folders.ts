import { pathToFileURL } from 'node:url'
import { FolderBounds, type SameEntry } from './folder-bounds.js'
import { toPath } from './paths.js'
import { realPathOf } from './real-path.js'

/** Real folders (or single files) that may be read. */
export class ReadScope {
  readonly folders: readonly string[]
  readonly #bounds: readonly FolderBounds[]

  constructor(folders: readonly string[], isSame?: SameEntry) {
    this.folders = folders
    this.#bounds = folders.map((folder) => new FolderBounds(folder, isSame))
  }

  /** Bound, so that it can be handed to whoever opens a file. */
  readonly admits = (realPath: string): boolean => this.#bounds.some((bounds) => bounds.contains(realPath))

  /** True where an allowed folder lies at or below this one: a walk has to pass through it. */
  isReachedThrough(realPath: string): boolean {
    return this.#bounds.some((bounds) => bounds.isReachedThrough(realPath))
  }
}

/**
 * Turns a session's list of allowed folders into real paths, once for each list. A session file may come from a
 * stranger, also into a trusted workspace: it can narrow what the user opened, never widen it.
 */
export class AllowedFolders {
  readonly #roots: readonly FolderBounds[]
  readonly #isSame: SameEntry | undefined
  readonly #scopes = new WeakMap<readonly string[], ReadScope>()

  constructor(roots: readonly string[], isSame?: SameEntry) {
    this.#roots = roots.map((root) => new FolderBounds(root, isSame))
    this.#isSame = isSame
  }

  scopeOf(allowed: readonly string[]): ReadScope {
    return this.#scopes.get(allowed) ?? this.#resolve(allowed)
  }

  /** Which of a session's folders count here, as they are written; the list itself where all do. */
  effective(allowed: readonly string[]): readonly string[] {
    const kept = allowed.flatMap((uri) => this.#effectiveUris(uri))
    const isSame = kept.length === allowed.length && kept.every((uri, index) => uri === allowed[index])
    return isSame ? allowed : [...new Set(kept)]
  }

  #effectiveUris(uri: string): readonly string[] {
    const folder = this.#realFolder(uri)
    // What is not there yet cannot be read, and may be made inside.
    if (folder === undefined) return toPath(uri, '/') === undefined ? [] : [uri]
    const within = this.#withinRoots(folder)
    return within[0] === folder ? [uri] : within.map((path) => pathToFileURL(path).href)
  }

  #resolve(allowed: readonly string[]): ReadScope {
    const folders = allowed.map((uri) => this.#realFolder(uri))
    const present = folders.filter((folder) => folder !== undefined)
    const scope = new ReadScope(
      present.flatMap((folder) => this.#withinRoots(folder)),
      this.#isSame,
    )
    // A folder that is missing now may be made later, so such a list is looked at again.
    if (present.length === folders.length) this.#scopes.set(allowed, scope)
    return scope
  }

  #realFolder(uri: string): string | undefined {
    const path = toPath(uri, this.#roots[0]?.path ?? '/')
    return path === undefined ? undefined : realPathOf(path)
  }

  /** A folder around a root means that root: the part of it that the user opened. */
  #withinRoots(folder: string): readonly string[] {
    if (this.#roots.some((root) => root.contains(folder))) return [folder]
    return this.#roots.filter((root) => root.isReachedThrough(folder)).map(({ path }) => path)
  }
}
