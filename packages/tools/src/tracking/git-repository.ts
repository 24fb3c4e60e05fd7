import { hash } from 'node:crypto'
import { dirname, posix } from 'node:path'
import { gitFoldersOf, gitSettingsOf, isLinkedWorkTree, kindOf } from '../protected/git-places.js'
import { statOf } from '../workspace/look-at.js'
import { readExact } from '../workspace/open-exact.js'
import type { FileSign } from './file-sign.js'
import { type IndexEntry, parseGitIndex } from './git-index.js'
import { GitObjects, type UnpackBudget } from './git-objects.js'

/** A repository with a larger index has more files than we look at. */
const largestIndex = 64 * 1024 * 1024

/** Larger files of attributes, or all of them together, are not read. */
const largestAttributes = 4 * 1024 * 1024

/**
 * The contents that a repository has of the files in a folder of its work tree, for files that did not change. Commands
 * can write the repository's files, so each is opened only where it really is, and only as a regular file.
 */
export class GitRepository {
  readonly #workTree: string
  /** The folder's path in the work tree: empty, or with a slash at its end. */
  readonly #prefix: string
  /** The repository's own folder, and the one that it shares with other work trees. */
  readonly #own: string
  readonly #shared: string
  readonly #objects: GitObjects
  readonly #home: string
  #read: ReadIndex | undefined

  private constructor(workTree: string, folder: string, home: string) {
    const [own = '', shared = own] = gitFoldersOf(workTree)
    const inside = posix.relative(workTree, folder)
    this.#workTree = workTree
    this.#prefix = inside === '' ? '' : `${inside}/`
    this.#own = own
    this.#shared = shared
    this.#objects = new GitObjects(`${shared}/objects`)
    this.#home = home
  }

  /** The repository that a folder belongs to; undefined if it belongs to none. */
  static around(folder: string, home: string): GitRepository | undefined {
    for (let at = folder; ; at = dirname(at)) {
      const [own, shared = own] = gitFoldersOf(at)
      // A `commondir` that git did not write could name the objects of any other repository.
      if (own !== undefined)
        return own === shared || isLinkedWorkTree(own) ? new GitRepository(at, folder, home) : undefined
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

  /** Undefined if the index or the objects are not where git creates them. */
  #current(): ReadIndex | undefined {
    const path = `${this.#own}/index`
    const stat = statOf(path)
    if (!stat?.isFile() || kindOf(`${this.#shared}/objects`) !== 'folder') return undefined
    const { mtimeMs, ctimeMs, size, ino } = stat
    const known = this.#read
    const isSame = known?.mtimeMs === mtimeMs && known.ctimeMs === ctimeMs && known.size === size
    if (isSame && known.inode === ino) return known
    const bytes = readExact(path, largestIndex)
    const entries = (bytes && parseGitIndex(bytes, this.#prefix)) ?? none
    return { mtimeMs, ctimeMs, size, inode: ino, entries, mayDiffer: this.#mayDiffer(entries) }
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

  read(blob: string, budget: UnpackBudget): Buffer | undefined {
    return this.#objects.blob(blob, budget)
  }

  /** Whether files on disk may differ from their blobs: by line ends, or because of a filter. */
  #mayDiffer(entries: ReadonlyMap<string, IndexEntry>): boolean {
    if (process.platform === 'win32') return true
    const folders = [...new Set([this.#own, this.#shared])]
    // Git follows a link here, but we do not know where to.
    if (
      folders
        .map((folder) => kindOf(`${folder}/config`))
        .some((kind) => kind !== 'file' && kind !== undefined)
    )
      return true
    const settings = gitSettingsOf(this.#workTree, this.#home).filter(({ section }) => section === 'core')
    if (settings.some(({ key, value }) => convertingKeys.has(key) && value.toLowerCase() !== 'false'))
      return true
    const attributes = [...entries.keys()].filter((path) => /(?:^|\/)\.gitattributes$/.test(path))
    return areConverting([
      ...attributes.map((path) => `${this.#workTree}/${this.#prefix}${path}`),
      `${this.#workTree}/.gitattributes`,
      ...folders.map((folder) => `${folder}/info/attributes`),
    ])
  }
}

/** If there are more attributes than we read, one of them may convert. Git does not follow a link to such a file. */
function areConverting(paths: readonly string[]): boolean {
  let left = largestAttributes
  for (const path of paths) {
    const stat = statOf(path)
    if (!stat?.isFile()) continue
    if (stat.size > left) return true
    left -= stat.size
    if (converting.test(readExact(path, stat.size)?.toString('latin1') ?? '')) return true
  }
  return false
}

interface ReadIndex {
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly size: number
  readonly inode: number
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
