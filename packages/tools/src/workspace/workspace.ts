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
  /** Further folders that the user opened. Nobody else can add readable folders. */
  readonly roots?: readonly string[]
  /** The folder of pasted images, if it is not the temporary folder. */
  readonly pastedImages?: string
}

/** A file that was judged beforehand. */
interface Judged {
  readonly allowed: readonly string[]
  /** The real path that was judged. Only this file is opened. */
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
  /** The file as loaded before; undefined if there was none, and then there must still be none. */
  readonly expected: Pick<LoadedFile, 'bytes'> | undefined
  readonly bytes: Uint8Array
  /** Permission bits. Absent: those of the old file, else the usual ones. */
  readonly mode?: number | undefined
}

export interface RemoveOptions extends Judged {
  readonly expected: Pick<LoadedFile, 'bytes'>
  /** The topmost folder that was created for the file. It is removed too if it is empty then. */
  readonly made?: string | undefined
}

/**
 * The files that a session may read and write. Permission is decided by what was really opened, never by the spelling
 * of the path. No method throws: a refusal is a return value.
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

  /** Which of these folders count here: a session can only narrow the folders that the user opened. */
  scope(allowed: readonly string[]): readonly string[] {
    return this.#allowed.effective(allowed)
  }

  /** The real folders of a session's list, which a search may use. */
  scopeOf(allowed: readonly string[]): ReadScope {
    return this.#allowed.scopeOf(allowed)
  }

  /** Returns the very same object until the file changes on disk. */
  read(path: string, options: ReadOptions): Reading {
    const scope = this.#allowed.scopeOf(options.allowed)
    const known = this.#cache.find(path, options)
    if (known !== undefined && isUnchanged(known, path)) return admit(known, scope)
    return this.#readAnew(path, scope, options)
  }

  /** A picture in the user's own text. It may also be in the folder of pasted images; only pictures are read there. */
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

  /** All bytes of a file as they are now, as the basis of a change. */
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
   * Replaces a file's content atomically and keeps its mode, if the file is still as it was loaded. Missing folders
   * are created.
   */
  replace(path: string, { allowed, expected, ...others }: ReplaceOptions): WrittenFile | WriteFault {
    const { admits } = this.#allowed.scopeOf(allowed)
    return replaceFile(path, { ...others, admits, expected: expected?.bytes })
  }

  /** Removes a file if it is still as it was loaded. */
  remove(path: string, { allowed, expected, ...others }: RemoveOptions): RemovedFile | WriteFault {
    const { admits } = this.#allowed.scopeOf(allowed)
    return removeFile(path, { ...others, admits, expected: expected.bytes })
  }

  /** If a path was judged, only that one is used. */
  #admitting({ allowed, place }: Judged): Admits {
    const { admits } = this.#allowed.scopeOf(allowed)
    return place === undefined ? admits : (realPath) => realPath === place && admits(realPath)
  }

  /** Files below the root whose path matches, without files that git ignores. */
  async glob(pattern: string, { allowed, limit }: GlobOptions): Promise<GlobResult> {
    const { paths, ...rest } = await findFiles({
      root: this.root,
      pattern,
      scope: this.#allowed.scopeOf(allowed),
    })
    return { paths: paths.slice(0, Math.max(0, limit)), total: paths.length, ...rest }
  }

  /**
   * All files and folders below the root except those that git ignores, including hidden ones. Paths are relative;
   * those of folders end with a slash.
   */
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

/** A cached reading may be requested under another list of allowed folders. */
function admit(entry: CacheEntry, scope: ReadScope): Reading {
  if (entry.scope !== scope) {
    if (!scope.admits(entry.realPath)) return outside
    entry.scope = scope
  }
  return entry.reading
}
