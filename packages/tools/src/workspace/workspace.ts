import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type {
  DirectoryReading,
  GlobOptions,
  GlobResult,
  LineRange,
  ReadFault,
  Reading,
  ReadOptions,
} from '@mutsumi/schema'
import { AllowedFolders, type ReadScope } from './allowed-folders.js'
import { outside } from './faults.js'
import { findFiles, walkFiles } from './find-files.js'
import { LineMaps } from './line-maps.js'
import { type LoadedFile, loadFile } from './load-file.js'
import { type Admits, withOpened } from './open-checked.js'
import { isOwnFolder, pastedImagesFolder } from './pasted-images.js'
import { readFile } from './read-file.js'
import { readFolder } from './read-folder.js'
import { type PageReading, readPage } from './read-page.js'
import { realPathOf } from './real-path.js'
import { type RemovedFile, removeFile } from './remove-file.js'
import { replaceFile, type WrittenFile } from './replace-file.js'
import { type CacheEntry, isUnchanged, StatCache } from './stat-cache.js'
import type { WriteFault } from './write-faults.js'

export interface WorkspaceOptions {
  /** The project's folder. */
  readonly root: string
  /** Further folders that the user opened: nobody else can widen what is read. */
  readonly roots?: readonly string[]
  /** Where pasted images are, if not in the folder for temporary files. */
  readonly pastedImages?: string
}

/** A file that somebody judged beforehand. */
interface Judged {
  readonly allowed: readonly string[]
  /** The real path that was judged: what is opened lies there, or nothing is opened. */
  readonly place?: string | undefined
}

export interface PageOptions extends Judged {
  readonly range: LineRange
  readonly maxBytes: number
}

export interface LoadFileOptions extends Judged {
  readonly maxBytes: number
}

export interface ReplaceOptions extends Judged {
  /** What was loaded before; undefined where there was no file, and then there must still be none. */
  readonly expected: Pick<LoadedFile, 'bytes'> | undefined
  readonly bytes: Uint8Array
  /** Permission bits; where absent, those of the file that was there, else the usual ones. */
  readonly mode?: number | undefined
}

export interface RemoveOptions extends Judged {
  readonly expected: Pick<LoadedFile, 'bytes'>
  /** The topmost folder that was made for the file: it goes too if it is empty then. */
  readonly made?: string | undefined
}

/**
 * The files that a session may read and write. What is allowed is decided by what was really opened, never by
 * the path's letters, and no method throws: a refusal is an answer.
 */
export class Workspace {
  /** Real and absolute, POSIX separators, no slash at the end. */
  readonly root: string
  readonly #allowed: AllowedFolders
  readonly #cache = new StatCache()
  readonly #lineMaps = new LineMaps()
  readonly #pastedImages: string
  #pasted: Workspace | undefined

  constructor({ root, roots = [], pastedImages = pastedImagesFolder() }: WorkspaceOptions) {
    this.root = realFolder(root)
    this.#pastedImages = pastedImages
    this.#allowed = new AllowedFolders([this.root, ...roots.map(realFolder)])
  }

  /** Which of these folders count here: a session can narrow what the user opened, never widen it. */
  scope(allowed: readonly string[]): readonly string[] {
    return this.#allowed.effective(allowed)
  }

  /** The real folders that a session's list means: what a search may look at. */
  scopeOf(allowed: readonly string[]): ReadScope {
    return this.#allowed.scopeOf(allowed)
  }

  /** While nothing changed on disk, the answer is the very same object. */
  read(path: string, options: ReadOptions): Reading {
    const scope = this.#allowed.scopeOf(options.allowed)
    const known = this.#cache.find(path, options)
    if (known !== undefined && isUnchanged(known, path)) return admit(known, scope)
    return this.#readAnew(path, scope, options)
  }

  /** A picture that the user's own text shows. It may also be one that was pasted: pictures there are read, nothing else. */
  readPicture(path: string, options: ReadOptions): Reading {
    const reading = this.read(path, options)
    if (reading !== outside || !isOwnFolder(this.#pastedImages)) return reading
    this.#pasted ??= new Workspace({ root: this.#pastedImages })
    const pasted = this.#pasted.read(path, { ...options, allowed: [this.#pasted.root] })
    const isTooLarge = pasted.kind === 'fault' && pasted.code === 'TOO_LARGE'
    return pasted.kind === 'image' || isTooLarge ? pasted : reading
  }

  /** The names in a folder as they are now. */
  list(path: string, allowed: readonly string[]): DirectoryReading | { readonly kind: 'file' } | ReadFault {
    const { admits } = this.#allowed.scopeOf(allowed)
    return withOpened(path, admits, (opened) =>
      opened.stat.isDirectory() ? readFolder(opened) : { kind: 'file' },
    )
  }

  /** Some lines of a text file of any size, with what a tool says about the file. */
  page(
    path: string,
    { range, maxBytes, ...judged }: PageOptions,
  ): PageReading | { readonly kind: 'directory' } | ReadFault {
    const admits = this.#admitting(judged)
    return withOpened(path, admits, (opened) =>
      opened.stat.isDirectory()
        ? { kind: 'directory' }
        : readPage(opened, { range, maxBytes }, this.#lineMaps),
    )
  }

  /** All bytes of a file as they are now: what a change begins with. */
  load(
    path: string,
    { maxBytes, ...judged }: LoadFileOptions,
  ): LoadedFile | { readonly kind: 'directory' } | ReadFault {
    const admits = this.#admitting(judged)
    return withOpened(path, admits, (opened) =>
      opened.stat.isDirectory() ? { kind: 'directory' } : loadFile(opened, maxBytes),
    )
  }

  /**
   * Puts bytes in a file's place, whole or not at all, with the old file's mode, if the file still is
   * what was loaded. Missing folders are made.
   */
  replace(path: string, { allowed, expected, ...others }: ReplaceOptions): WrittenFile | WriteFault {
    const { admits } = this.#allowed.scopeOf(allowed)
    return replaceFile(path, { ...others, admits, expected: expected?.bytes })
  }

  /** Removes a file if it still is what was loaded. */
  remove(path: string, { allowed, expected, ...others }: RemoveOptions): RemovedFile | WriteFault {
    const { admits } = this.#allowed.scopeOf(allowed)
    return removeFile(path, { ...others, admits, expected: expected.bytes })
  }

  /** Where a place was judged, that one only. */
  #admitting({ allowed, place }: Judged): Admits {
    const { admits } = this.#allowed.scopeOf(allowed)
    return place === undefined ? admits : (realPath) => realPath === place && admits(realPath)
  }

  /** Files below the root whose path matches, without what git ignores. */
  async glob(pattern: string, { allowed, limit }: GlobOptions): Promise<GlobResult> {
    const { paths, ...rest } = await findFiles({
      root: this.root,
      pattern,
      scope: this.#allowed.scopeOf(allowed),
    })
    return { paths: paths.slice(0, Math.max(0, limit)), total: paths.length, ...rest }
  }

  /** All files and folders below the root but what git ignores, hidden ones included. Relative paths, those of folders with a slash. */
  async *walk(allowed: readonly string[], signal?: AbortSignal): AsyncGenerator<readonly string[]> {
    const scope = this.#allowed.scopeOf(allowed)
    const search = { root: this.root, pattern: '**', scope, includeHidden: true, ...(signal && { signal }) }
    const from = this.root === '/' ? 1 : this.root.length + 1
    for await (const entries of walkFiles(search))
      yield entries.map(({ path, kind }) => (kind === 'folder' ? `${path.slice(from)}/` : path.slice(from)))
  }

  #readAnew(path: string, scope: ReadScope, options: ReadOptions): Reading {
    const readAt = Date.now()
    return withOpened(path, scope.admits, (opened) => {
      const { stat, realPath } = opened
      const reading = stat.isDirectory() ? readFolder(opened) : readFile(opened, options, this.#lineMaps)
      return this.#cache.keep(path, options, { reading, stat, realPath, readAt, scope })
    })
  }
}

function realFolder(folder: string): string {
  const path = resolve(folder)
  const real = realPathOf(path)
  if (real === undefined || !statSync(real).isDirectory())
    throw new Error(`${path} is not an existing folder`)
  return real
}

/** What was read under one list of allowed folders may be asked for under another. */
function admit(entry: CacheEntry, scope: ReadScope): Reading {
  if (entry.scope !== scope) {
    if (!scope.admits(entry.realPath)) return outside
    entry.scope = scope
  }
  return entry.reading
}
