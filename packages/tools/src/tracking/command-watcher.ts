import { createHash } from 'node:crypto'
import type { ChangedFile, ChangeKeeper, FileBefore } from '../contract/changed-file.js'
import { readWhole, withExact } from '../workspace/open-exact.js'
import type { PathPattern } from '../workspace/path-pattern.js'
import { relativeTo } from '../workspace/paths.js'
import { type FileSign, isSameSign, isTooFresh } from './file-sign.js'
import { UnpackBudget } from './git-objects.js'
import { GitRepository } from './git-repository.js'
import { type FileScan, FileScanner, nothingScanned } from './scan-files.js'
import { SecretFiles } from './secret-files.js'

export interface WatcherLimits {
  /** The most bytes of one file that is kept before a command. */
  readonly file: number
  /** The most bytes that are read before one command, to find the contents that git does not have. */
  readonly read: number
  /** The most files and bytes of git's contents that are kept after one command. */
  readonly changedFiles: number
  readonly changedBytes: number
  /** The most bytes that are read after one command, to find out what the files contain now. */
  readonly readAfter: number
}

const usualLimits: WatcherLimits = {
  file: 2 * 1024 * 1024,
  read: 64 * 1024 * 1024,
  changedFiles: 500,
  changedBytes: 8 * 1024 * 1024,
  readAfter: 512 * 1024 * 1024,
}

/** A command that is being watched. */
export interface CommandWatch {
  /** The command is over. Returns notes about changes that undo cannot take back. */
  end(): Promise<readonly string[]>
}

/**
 * Finds the files that commands change, and their content before. Git has the content of tracked files. The content of
 * all other files is kept before a command runs, except secrets. A file is not read again while it looks the same.
 *
 * It runs outside the sandbox on files that commands can write. So a file is opened only at its real path, and never
 * through a link.
 */
export class CommandWatcher {
  readonly #folders: readonly WatchedFolder[]
  readonly #secrets: SecretFiles

  /** Real folders, the workspace first. */
  constructor(
    folders: readonly string[],
    { home, limits = usualLimits }: { readonly home: string; readonly limits?: WatcherLimits },
  ) {
    const [root = ''] = folders
    const secrets = new SecretFiles(folders, home)
    this.#secrets = secrets
    this.#folders = folders.map(
      (folder) =>
        new WatchedFolder(folder, (path) => relativeTo(root, `${folder}/${path}`), { home, limits, secrets }),
    )
  }

  /** False if there are too many files to look at. Then changes by commands are not recorded. */
  async canSee(): Promise<boolean> {
    for (const folder of this.#folders) if (!(await folder.look()).scan.complete) return false
    return true
  }

  /** `denied` are the paths that rules deny reading. Their content is not given to the keeper. */
  async begin(keeper: ChangeKeeper, denied: readonly PathPattern[] = []): Promise<CommandWatch> {
    this.#secrets.deny(denied)
    const looks: Look[] = []
    for (const folder of this.#folders) looks.push(await folder.look())
    const ownFiles = looks.flatMap(({ own }) => own)
    const kept = ownFiles.length === 0 ? new Set<string>() : await keeper.before(ownFiles)
    return {
      end: async () => {
        const changes: FolderChanges[] = []
        for (const [index, folder] of this.#folders.entries()) {
          const look = looks[index]
          if (look) changes.push(await folder.changesSince(look, kept))
        }
        const unseen = changes.find((change) => change.unseen !== undefined)?.unseen
        const files = changes.flatMap((change) => change.files)
        return files.length === 0 && unseen === undefined ? [] : keeper.changed(files, unseen)
      },
    }
  }
}

/** A file whose content is known while it looks the same. */
interface KnownFile {
  readonly sign: FileSign
  /** The blob in which git has it; undefined if git does not have it. */
  readonly blob?: string
  /** SHA-256 of its bytes. Empty if they were not read. */
  readonly hash: string
  readonly isSecret: boolean
}

/** A folder as it was before a command. */
interface Look {
  readonly scan: FileScan
  readonly known: ReadonlyMap<string, KnownFile>
  /** The files whose content git does not have. */
  readonly own: readonly FileBefore[]
}

const nothingSeen: Look = { scan: nothingScanned, known: new Map(), own: [] }

interface FolderChanges {
  readonly files: readonly ChangedFile[]
  readonly unseen?: string
}

class WatchedFolder {
  readonly #folder: string
  readonly #shown: (path: string) => string
  readonly #limits: WatcherLimits
  readonly #scanner: FileScanner
  readonly #home: string
  readonly #secrets: SecretFiles
  #repository: GitRepository | undefined
  #known: ReadonlyMap<string, KnownFile> = new Map()
  #isTooLarge = false
  #hasLooked = false
  #judgedBy = ''

  constructor(
    folder: string,
    shown: (path: string) => string,
    {
      home,
      limits,
      secrets,
    }: { readonly home: string; readonly limits: WatcherLimits; readonly secrets: SecretFiles },
  ) {
    this.#folder = folder
    this.#shown = shown
    this.#limits = limits
    this.#home = home
    this.#secrets = secrets
    this.#scanner = new FileScanner(folder)
  }

  async look(): Promise<Look> {
    if (this.#isTooLarge) return nothingSeen
    // A command may have created a repository.
    this.#repository ??= GitRepository.around(this.#folder, this.#home)
    this.#repository?.refresh()
    const scan = await this.#scan()
    if (!scan.complete) {
      // The next command need not wait for the same result.
      this.#isTooLarge = true
      return nothingSeen
    }
    const judge = this.#secrets.judgeIn(this.#folder, scan.links)
    const isSameJudge = judge.rules === this.#judgedBy
    const known = new Map<string, KnownFile>()
    let left = this.#limits.read
    for (const [path, sign] of scan.files) {
      const still = this.#stillKnown(path, sign)
      const file = still ?? this.#learn(path, sign, left)
      if (file.read !== undefined) left -= file.read
      const isSecret = still && isSameJudge ? still.isSecret : judge.isSecret(path, sign)
      known.set(path, file.isSecret === isSecret ? file : { ...file, isSecret })
    }
    for (const [path, file] of known)
      if (file.sign.links > 1 && judge.isKnown(file.sign)) known.set(path, { ...file, isSecret: true })
    this.#judgedBy = judge.rules
    this.#known = known
    this.#hasLooked = true
    return { scan, known, own: this.#ownFiles(known) }
  }

  async changesSince({ scan: before, known }: Look, kept: ReadonlySet<string>): Promise<FolderChanges> {
    if (!before.complete) return { files: [], unseen: 'too many files' }
    const now = await this.#scan()
    if (!now.complete) return { files: [], unseen: 'too many files' }
    const touched = touchedPaths(before.files, now.files)
    const { changedFiles, changedBytes, readAfter } = this.#limits
    const budget: Budget = {
      files: changedFiles,
      bytes: changedBytes,
      after: readAfter,
      unpack: new UnpackBudget(),
    }
    const files = touched.flatMap((path) => this.#changeOf(path, { before, now, known, kept, budget }))
    return { files, ...(budget.after < 0 && { unseen: 'too many large files' }) }
  }

  async #scan(): Promise<FileScan> {
    return this.#scanner.scan(this.#repository?.entries.keys() ?? [])
  }

  #stillKnown(path: string, sign: FileSign): (KnownFile & { read?: number }) | undefined {
    const known = this.#known.get(path)
    return known && isSameSign(known.sign, sign) && !isTooFresh(known.sign) ? known : undefined
  }

  /** `left` is the number of bytes that may still be read. */
  #learn(path: string, sign: FileSign, left: number): KnownFile & { readonly read?: number } {
    // A command can write an index that names any blob for a file. So times are believed only before the first one.
    const blob = this.#hasLooked ? undefined : this.#repository?.blobOf(path, sign)
    if (blob !== undefined) return { sign, blob, hash: '', isSecret: false }
    const isTracked = this.#repository?.entries.has(path) ?? false
    if (sign.size > Math.min(left, isTracked ? this.#limits.read : this.#limits.file))
      return { sign, hash: '', isSecret: false }
    const bytes = this.#read(path, sign.size)
    if (bytes === undefined) return { sign, hash: '', isSecret: false }
    const held = this.#repository?.blobHolding(path, bytes)
    const found = { sign, hash: sha256(bytes), isSecret: false, read: bytes.length }
    return held === undefined ? found : { ...found, blob: held }
  }

  /** Undefined if there is no regular file of that size, or if its path leads through a link. */
  #read(path: string, size: number): Buffer | undefined {
    if (size > largestRead) return undefined
    return withExact(`${this.#folder}/${path}`, ({ fd, stat }) =>
      stat.isFile() ? readWhole(fd, size) : undefined,
    )
  }

  /** Git tracks most files, so no objects are created for those. */
  #ownFiles(known: ReadonlyMap<string, KnownFile>): readonly FileBefore[] {
    const own: FileBefore[] = []
    for (const [path, file] of known) {
      const { sign, blob, hash, isSecret } = file
      if (!isSecret && blob === undefined && hash !== '' && sign.size <= this.#limits.file)
        own.push(this.#ownFile(path, file))
    }
    return own
  }

  #ownFile(path: string, { sign: { size, mode }, hash }: KnownFile): FileBefore {
    const read = () => {
      const bytes = this.#read(path, size)
      return bytes && sha256(bytes) === hash ? bytes : undefined
    }
    return { path: this.#shown(path), hash, size, mode, read }
  }

  #changeOf(
    path: string,
    {
      before: old,
      now,
      known,
      kept,
      budget,
    }: {
      readonly before: FileScan
      readonly now: FileScan
      readonly known: ReadonlyMap<string, KnownFile>
      readonly kept: ReadonlySet<string>
      readonly budget: Budget
    },
  ): readonly ChangedFile[] {
    const sign = now.files.get(path)
    const after = sign && { hash: this.#hashAfter(path, sign, budget), mode: sign.mode }
    const file = known.get(path)
    const before = file && this.#versionOf(file, kept, budget)
    if (before && after && before.hash === after.hash && before.mode === after.mode) return []
    const made = before ? undefined : folderMade(path, old.folders)
    return [
      {
        path: this.#shown(path),
        before,
        after,
        ...(made !== undefined && { made: this.#shown(made) }),
      },
    ]
  }

  #hashAfter(path: string, { size }: FileSign, budget: Budget): string {
    if (size > largestRead) return unread
    budget.after -= size
    const bytes = budget.after < 0 ? undefined : this.#read(path, size)
    return bytes ? sha256(bytes) : unread
  }

  #versionOf(
    { sign: { size, mode }, blob, hash, isSecret }: KnownFile,
    kept: ReadonlySet<string>,
    budget: Budget,
  ): NonNullable<ChangedFile['before']> {
    if (blob === undefined)
      return isSecret || kept.has(hash) ? { hash, mode, size } : { hash: '', mode, size }
    const isTooMuch = budget.files <= 0 || budget.bytes < size
    const bytes = isTooMuch ? undefined : this.#repository?.read(blob, budget.unpack)
    // If git stores the text in another form, it is not the content of the file.
    if (bytes?.length !== size) return { hash, mode, size }
    budget.files--
    budget.bytes -= size
    const version = { hash: sha256(bytes), mode, size }
    return isSecret ? version : { ...version, bytes }
  }
}

/** The work that is left for one command. */
interface Budget {
  files: number
  bytes: number
  /** Bytes of the changed files. Negative: there was more than that. */
  after: number
  readonly unpack: UnpackBudget
}

type Signs = ReadonlyMap<string, FileSign>

function touchedPaths(before: Signs, now: Signs): readonly string[] {
  const touched: string[] = []
  for (const [path, sign] of now) {
    const old = before.get(path)
    if (old === undefined || !isSameSign(old, sign) || isTooFresh(old)) touched.push(path)
  }
  for (const path of before.keys()) if (!now.has(path)) touched.push(path)
  return touched
}

/** The topmost folder above a file that did not exist before. */
function folderMade(path: string, folders: ReadonlySet<string>): string | undefined {
  const names = path.split('/').slice(0, -1)
  const count = names.findIndex((_, index) => !folders.has(names.slice(0, index + 1).join('/')))
  return count === -1 ? undefined : names.slice(0, count + 1).join('/')
}

/** A hash that no content can have. */
const unread = 'unread'

/** A larger file is not read at all. */
const largestRead = 32 * 1024 * 1024

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
