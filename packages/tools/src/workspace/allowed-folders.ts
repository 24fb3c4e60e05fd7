import { pathToFileURL } from 'node:url'
import { FolderBounds, type SameEntry } from './folder-bounds.js'
import { toPath } from './paths.js'
import { realPathOf } from './real-path.js'
import { isSessionPath } from './session-paths.js'

/** Real folders (or single files) that may be read. */
export class ReadScope {
  readonly folders: readonly string[]
  readonly #bounds: readonly FolderBounds[]

  constructor(folders: readonly string[], isSame?: SameEntry) {
    this.folders = folders
    this.#bounds = folders.map((folder) => new FolderBounds(folder, isSame))
  }

  /** Session files are never admitted. Bound, so that it can be passed to code that opens files. */
  readonly admits = (realPath: string): boolean => this.#contains(realPath) && !isSessionPath(realPath)

  /** True if this folder is or contains an allowed one, so that a walk must pass through it. */
  isReachedThrough(realPath: string): boolean {
    return this.#bounds.some((bounds) => bounds.isReachedThrough(realPath))
  }

  #contains(realPath: string): boolean {
    return this.#bounds.some((bounds) => bounds.contains(realPath))
  }
}

/**
 * Turns a session's list of allowed folders into real paths, once for each list. A session file may come from a
 * stranger, even in a trusted workspace, so it can only narrow the folders that the user opened.
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

  /** Those of a session's folders that count here, as written; the list itself if all do. */
  effective(allowed: readonly string[]): readonly string[] {
    const kept = allowed.flatMap((uri) => this.#effectiveUris(uri))
    const isSame = kept.length === allowed.length && kept.every((uri, index) => uri === allowed[index])
    return isSame ? allowed : [...new Set(kept)]
  }

  #effectiveUris(uri: string): readonly string[] {
    const folder = this.#realFolder(uri)
    // A missing folder cannot be read yet, but may be created inside.
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
    // A missing folder may be created later, so such a list is checked again.
    if (present.length === folders.length) this.#scopes.set(allowed, scope)
    return scope
  }

  #realFolder(uri: string): string | undefined {
    const path = toPath(uri, this.#roots[0]?.path ?? '/')
    return path === undefined ? undefined : realPathOf(path)
  }

  /** A folder that contains a root means that root, because only this part was opened by the user. */
  #withinRoots(folder: string): readonly string[] {
    if (this.#roots.some((root) => root.contains(folder))) return [folder]
    return this.#roots.filter((root) => root.isReachedThrough(folder)).map(({ path }) => path)
  }
}
