import { type Dirent, readdirSync } from 'node:fs'
import { isSessionName } from '@mutsumi/schema'
import { type IgnoreRules, isIgnored, withIgnoreFile } from '../workspace/git-ignore.js'
import { statOf } from '../workspace/look-at.js'
import { withOpened } from '../workspace/open-checked.js'
import { doorTo, withExact } from '../workspace/open-exact.js'
import { readFile } from '../workspace/read-file.js'
import { type FileSign, isSameSign, signOf } from './file-sign.js'

/** The files of a folder at one moment, by their path relative to it. */
export interface FileScan {
  readonly files: ReadonlyMap<string, FileSign>
  /** Every folder that was looked at, as a relative path. The folder itself is the empty path. */
  readonly folders: ReadonlySet<string>
  readonly links: readonly string[]
  /** False if there are more files or folders than we look at. */
  readonly complete: boolean
}

/** No files, as if there were too many. */
export const nothingScanned: FileScan = { files: new Map(), folders: new Set(), links: [], complete: false }

/** Each command waits for two looks, and each look takes about 2 ms for 1 000 files. There may be as many folders. */
const mostFiles = 20_000

/** Never looked at: git's own files, ours, and packages. */
const leftOut = new Set(['.git', '.mutsumi', 'node_modules'])

/** A session grows with every record, so it must not contain copies of itself. */
function isOurs(name: string): boolean {
  return isSessionName(name) || (name.startsWith('.mutsumi-') && name.endsWith('.tmp'))
}

/**
 * Looks at the regular files in a folder and below it, except ignored files and repositories inside. It lists the names
 * in a folder again only after the folder changed.
 */
export class FileScanner {
  readonly #root: string
  readonly #limit: number
  /** The same object in every scan, so that rules below it can be recognised as unchanged. */
  readonly #noRules: IgnoreRules
  #seen = new Map<string, SeenFolder>()

  constructor(root: string, { limit = mostFiles }: { readonly limit?: number } = {}) {
    this.#root = root
    this.#limit = limit
    this.#noRules = { base: `${root}/` }
  }

  /**
   * Also looks at `further`, because git may track files that it would ignore otherwise. Commands can write git's list,
   * so such a file counts only if every folder on the way is a folder and not a link.
   */
  async scan(further: Iterable<string> = []): Promise<FileScan> {
    const seenAt = Date.now()
    const files = new Map<string, FileSign>()
    const links: string[] = []
    const seen = new Map<string, SeenFolder>()
    const result = (complete: boolean) => ({ files, folders: new Set(seen.keys()), links, complete })
    const waiting: Waiting[] = [{ path: '', ignoring: this.#noRules }]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const folder = await this.#look(next, seenAt)
      if (!folder) continue
      seen.set(next.path, folder)
      for (const { path, place } of folder.files) addFile(files, { path, place, seenAt })
      for (const { path } of folder.links) links.push(path)
      for (const { path } of folder.folders) waiting.push({ path, ignoring: folder.ignoring })
      if (Math.max(files.size, seen.size) > this.#limit) return result(false)
    }
    let looked = 0
    const realFolders = new RealFolders(this.#root, seen)
    for (const path of further) {
      if (files.has(path) || !realFolders.holds(path) || path.split('/').some(isOurs)) continue
      if (++looked > this.#limit) return result(false)
      addFile(files, { path, place: `${this.#root}/${path}`, seenAt })
    }
    this.#seen = seen
    return result(files.size <= this.#limit)
  }

  /** Undefined if it is no longer a folder, or if it is another repository. */
  async #look({ path, ignoring }: Waiting, seenAt: number): Promise<SeenFolder | undefined> {
    const place = path === '' ? this.#root : `${this.#root}/${path}`
    const stat = statOf(place)
    if (!stat?.isDirectory()) return undefined
    const known = this.#seen.get(path)
    const isSame = known?.changed === stat.ctimeMs && known.inode === stat.ino && known.above === ignoring
    const rulesOf = (isThere: boolean) => (isThere ? signOf(`${place}/.gitignore`, seenAt) : undefined)
    if (isSame && isSameFile(known.rules, rulesOf(known.rules !== undefined))) return known
    const entries = entriesOf(place)
    if (path !== '' && entries.some(({ name }) => name === '.git')) return undefined
    const rules = rulesOf(entries.some(({ name }) => name === '.gitignore'))
    const own = rules ? await withRules(ignoring, place) : ignoring
    const wanted = entries.filter(({ name }) => !leftOut.has(name) && !isOurs(name))
    const listed = (isWanted: (entry: Dirent) => boolean): readonly ListedEntry[] =>
      wanted.filter(isWanted).map(({ name }) => ({ path: joined(path, name), place: `${place}/${name}` }))
    return {
      // A file that changed just now may change again without a later time.
      changed: seenAt - stat.ctimeMs > clockTick ? stat.ctimeMs : undefined,
      inode: stat.ino,
      above: ignoring,
      rules,
      ignoring: own,
      files: listed((entry) => entry.isFile() && !isIgnored(own, `${place}/${entry.name}`)),
      folders: listed((entry) => entry.isDirectory() && !isIgnored(own, `${place}/${entry.name}/`)),
      links: listed((entry) => entry.isSymbolicLink()),
    }
  }
}

function addFile(
  files: Map<string, FileSign>,
  { path, place, seenAt }: ListedEntry & { readonly seenAt: number },
): void {
  const sign = signOf(place, seenAt)
  if (sign) files.set(path, sign)
}

/** Answers whether paths lead through folders only. Each folder is looked at once. */
class RealFolders {
  readonly #root: string
  readonly #seen: ReadonlyMap<string, unknown>
  readonly #known = new Map<string, boolean>()

  /** `seen` are folders that were looked at just now. */
  constructor(root: string, seen: ReadonlyMap<string, unknown>) {
    this.#root = root
    this.#seen = seen
  }

  /** Whether everything above a path is a folder. */
  holds(path: string): boolean {
    const end = path.lastIndexOf('/')
    return end === -1 || this.#isReal(path.slice(0, end))
  }

  #isReal(folder: string): boolean {
    if (this.#seen.has(folder)) return true
    const known = this.#known.get(folder)
    if (known !== undefined) return known
    const isReal = this.holds(folder) && statOf(`${this.#root}/${folder}`)?.isDirectory() === true
    this.#known.set(folder, isReal)
    return isReal
  }
}

interface Waiting {
  readonly path: string
  /** The rules that apply in it before its own are read. */
  readonly ignoring: IgnoreRules
}

interface SeenFolder {
  readonly changed: number | undefined
  readonly inode: number
  readonly above: IgnoreRules
  /** The sign of its `.gitignore`. */
  readonly rules: FileSign | undefined
  readonly ignoring: IgnoreRules
  readonly files: readonly ListedEntry[]
  readonly folders: readonly ListedEntry[]
  readonly links: readonly ListedEntry[]
}

/** Its paths are made once: each look would otherwise join and hash thousands of them again. */
interface ListedEntry {
  /** Relative to the root. */
  readonly path: string
  readonly place: string
}

const clockTick = 100

function isSameFile(one: FileSign | undefined, other: FileSign | undefined): boolean {
  return one === undefined || other === undefined ? one === other : isSameSign(one, other)
}

async function withRules(above: IgnoreRules, place: string): Promise<IgnoreRules> {
  const path = `${place}/.gitignore`
  const limits = { allowed: [], maxBytes: 1024 * 1024, maxImageBytes: 0 }
  const reading = withOpened(
    path,
    (realPath) => realPath === path,
    (opened) => readFile(opened, limits),
  )
  return reading.kind === 'file' ? withIgnoreFile(above, `${place}/`, reading.text) : above
}

/** Empty if we may not list it, if it is gone, or if its path leads elsewhere by now. */
function entriesOf(folder: string): Dirent[] {
  const list = ({ fd }: { readonly fd: number }) => readdirSync(doorTo(fd, folder), { withFileTypes: true })
  return withExact(folder, list) ?? []
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}
