import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { gitFoldersOf, gitSettingsOf, readSmallFile } from '../protected/git-places.js'
import type { FileSign } from './file-sign.js'
import { type IndexEntry, parseGitIndex } from './git-index.js'
import { GitObjects } from './git-objects.js'

/** A repository with a larger index has more files than we look at. */
const largestIndex = 64 * 1024 * 1024

/** The contents that a repository has of the files in a folder of its work tree, for files that did not change. */
export class GitRepository {
  readonly #workTree: string
  /** The folder's path in the work tree: empty, or with a slash at its end. */
  readonly #prefix: string
  readonly #index: string
  readonly #objects: GitObjects
  readonly #home: string
  #read: ReadIndex | undefined

  private constructor(workTree: string, folder: string, home: string) {
    const [own = '', shared = own] = gitFoldersOf(workTree)
    const inside = posix.relative(workTree, folder)
    this.#workTree = workTree
    this.#prefix = inside === '' ? '' : `${inside}/`
    this.#index = join(own, 'index')
    this.#objects = new GitObjects(join(shared, 'objects'))
    this.#home = home
  }

  /** The repository that a folder belongs to; undefined if it belongs to none. */
  static around(folder: string, home: string): GitRepository | undefined {
    for (let at = folder; ; at = dirname(at)) {
      if (gitFoldersOf(at).length > 0) return new GitRepository(at, folder, home)
      if (at === dirname(at)) return undefined
    }
  }

  /** Reads git's index again. Called before each look, so that one state is used for the whole look. */
  refresh(): void {
    this.#read = this.#current()
  }

  /** The files that it knows in the folder, by their path there. */
  get entries(): ReadonlyMap<string, IndexEntry> {
    return this.#read?.entries ?? none
  }

  #current(): ReadIndex | undefined {
    const stat = statSync(this.#index, { throwIfNoEntry: false })
    if (!stat?.isFile() || stat.size > largestIndex) return undefined
    const { mtimeMs, ctimeMs, size } = stat
    const known = this.#read
    if (known?.mtimeMs === mtimeMs && known.ctimeMs === ctimeMs && known.size === size) return known
    const entries = this.#below(parseGitIndex(readFileSync(this.#index)) ?? none)
    return { mtimeMs, ctimeMs, size, entries, mayDiffer: this.#mayDiffer(entries) }
  }

  /**
   * The blob with a file's content, found by its times alone, as git itself does. Undefined if the times do not decide:
   * the file changed since, or just before the index was written, or git stores it in another form.
   */
  blobOf(path: string, sign: FileSign): string | undefined {
    const entry = this.entries.get(path)
    if (!entry || !this.#read || this.#read.mayDiffer) return undefined
    const isKnown =
      isSameTime(entry.mtimeMs, sign.mtimeMs) &&
      isSameTime(entry.ctimeMs, sign.ctimeMs) &&
      entry.size === sign.size % 2 ** 32 &&
      entry.inode === sign.inode % 2 ** 32
    return isKnown && entry.mtimeMs < this.#read.mtimeMs ? entry.blob : undefined
  }

  /** The blob with a file's content, found by the content itself. */
  blobHolding(path: string, bytes: Uint8Array): string | undefined {
    const entry = this.entries.get(path)
    if (!entry) return undefined
    const name = hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]), 'hex')
    return name === entry.blob ? name : undefined
  }

  read(blob: string): Buffer | undefined {
    return this.#objects.blob(blob)
  }

  #below(entries: ReadonlyMap<string, IndexEntry>): ReadonlyMap<string, IndexEntry> {
    const prefix = this.#prefix
    if (prefix === '') return entries
    const inside = [...entries].filter(([path]) => path.startsWith(prefix))
    return new Map(inside.map(([path, entry]) => [path.slice(prefix.length), entry]))
  }

  /** Whether files on disk may differ from their blobs: by line ends, or because of a filter. */
  #mayDiffer(entries: ReadonlyMap<string, IndexEntry>): boolean {
    if (process.platform === 'win32') return true
    const settings = gitSettingsOf(this.#workTree, this.#home).filter(({ section }) => section === 'core')
    if (settings.some(({ key, value }) => convertingKeys.has(key) && value.toLowerCase() !== 'false'))
      return true
    const attributes = [...entries.keys()].filter((path) => /(?:^|\/)\.gitattributes$/.test(path))
    const places = [
      ...attributes.map((path) => join(this.#workTree, this.#prefix, path)),
      join(this.#workTree, '.gitattributes'),
      join(dirname(this.#index), 'info', 'attributes'),
    ]
    return places.some((path) => converting.test(readSmallFile(path)))
  }
}

interface ReadIndex {
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly size: number
  readonly entries: ReadonlyMap<string, IndexEntry>
  readonly mayDiffer: boolean
}

const none: ReadonlyMap<string, IndexEntry> = new Map()

const convertingKeys = new Set(['autocrlf', 'eol', 'attributesfile'])
const converting = /(?:^|\s)(?:eol=|filter=|ident\b|working-tree-encoding=|crlf\b)/

/** Node gives times as a number of milliseconds, which is exact to some 200 nanoseconds. */
function isSameTime(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.001
}
