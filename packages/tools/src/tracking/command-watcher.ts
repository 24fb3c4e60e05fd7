import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { ChangedFile, ChangeKeeper, FileBefore } from '../contract/changed-file.js'
import { relativeTo } from '../workspace/paths.js'
import { type FileSign, isSameSign, isTooFresh } from './file-sign.js'
import { GitRepository } from './git-repository.js'
import { type FileScan, FileScanner } from './scan-files.js'

export interface WatcherLimits {
  /** The most bytes of one file that is kept before a command. */
  readonly file: number
  /** The most bytes that are read before one command, to find the contents that git does not have. */
  readonly read: number
  /** The most files and bytes of git's contents that are kept after one command. */
  readonly changedFiles: number
  readonly changedBytes: number
}

const usualLimits: WatcherLimits = {
  file: 2 * 1024 * 1024,
  read: 64 * 1024 * 1024,
  changedFiles: 500,
  changedBytes: 8 * 1024 * 1024,
}

/** A command that is being watched. */
export interface CommandWatch {
  /** The command is over. Returns notes about changes that undo cannot take back. */
  end(): Promise<readonly string[]>
}

/**
 * Finds the files that commands change, and their content before. Git has the content of tracked files. The content of
 * all other files is kept before a command runs. A file is not read again while it looks the same.
 */
export class CommandWatcher {
  readonly #folders: readonly WatchedFolder[]

  /** Real folders, the workspace first. */
  constructor(
    folders: readonly string[],
    { home, limits = usualLimits }: { readonly home: string; readonly limits?: WatcherLimits },
  ) {
    const [root = ''] = folders
    this.#folders = folders.map(
      (folder) =>
        new WatchedFolder(folder, (path) => relativeTo(root, `${folder}/${path}`), { home, limits }),
    )
  }

  /** False if there are too many files to look at. Then changes by commands are not recorded. */
  async canSee(): Promise<boolean> {
    for (const folder of this.#folders) if (!(await folder.look()).scan.complete) return false
    return true
  }

  async begin(keeper: ChangeKeeper): Promise<CommandWatch> {
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
}

/** A folder as it was before a command. */
interface Look {
  readonly scan: FileScan
  readonly known: ReadonlyMap<string, KnownFile>
  /** The files whose content git does not have. */
  readonly own: readonly FileBefore[]
}

const nothingSeen: Look = {
  scan: { files: new Map(), folders: new Set(), complete: false },
  known: new Map(),
  own: [],
}

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
  #repository: GitRepository | undefined
  #known: ReadonlyMap<string, KnownFile> = new Map()
  #isTooLarge = false

  constructor(
    folder: string,
    shown: (path: string) => string,
    { home, limits }: { readonly home: string; readonly limits: WatcherLimits },
  ) {
    this.#folder = folder
    this.#shown = shown
    this.#limits = limits
    this.#home = home
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
    const known = new Map<string, KnownFile>()
    let left = this.#limits.read
    for (const [path, sign] of scan.files) {
      const file = this.#stillKnown(path, sign) ?? this.#learn(path, sign, left)
      if (file.read !== undefined) left -= file.read
      known.set(path, file)
    }
    this.#known = known
    return { scan, known, own: this.#ownFiles(known) }
  }

  async changesSince({ scan: before, known }: Look, kept: ReadonlySet<string>): Promise<FolderChanges> {
    if (!before.complete) return { files: [], unseen: 'too many files' }
    const now = await this.#scan()
    if (!now.complete) return { files: [], unseen: 'too many files' }
    const touched = touchedPaths(before.files, now.files)
    const budget = { files: this.#limits.changedFiles, bytes: this.#limits.changedBytes }
    return { files: touched.flatMap((path) => this.#changeOf(path, { before, now, known, kept, budget })) }
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
    const blob = this.#repository?.blobOf(path, sign)
    if (blob !== undefined) return { sign, blob, hash: '' }
    const isTracked = this.#repository?.entries.has(path) ?? false
    if (sign.size > Math.min(left, isTracked ? this.#limits.read : this.#limits.file))
      return { sign, hash: '' }
    const bytes = readWhole(`${this.#folder}/${path}`, sign.size)
    if (bytes === undefined) return { sign, hash: '' }
    const held = this.#repository?.blobHolding(path, bytes)
    return { sign, ...(held !== undefined && { blob: held }), hash: sha256(bytes), read: bytes.length }
  }

  /** Git tracks most files, so no objects are created for those. */
  #ownFiles(known: ReadonlyMap<string, KnownFile>): readonly FileBefore[] {
    const own: FileBefore[] = []
    for (const [path, file] of known) {
      const { sign, blob, hash } = file
      if (blob === undefined && hash !== '' && sign.size <= this.#limits.file)
        own.push(this.#ownFile(path, file))
    }
    return own
  }

  #ownFile(path: string, { sign: { size, mode }, hash }: KnownFile): FileBefore {
    const read = () => {
      const bytes = readWhole(`${this.#folder}/${path}`, size)
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
      readonly budget: { files: number; bytes: number }
    },
  ): readonly ChangedFile[] {
    const sign = now.files.get(path)
    const bytes = sign && readWhole(`${this.#folder}/${path}`, sign.size)
    const after = sign && { hash: bytes ? sha256(bytes) : unread, mode: sign.mode }
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

  #versionOf(
    { sign: { size, mode }, blob, hash }: KnownFile,
    kept: ReadonlySet<string>,
    budget: { files: number; bytes: number },
  ): NonNullable<ChangedFile['before']> {
    if (blob === undefined) return kept.has(hash) ? { hash, mode, size } : { hash: '', mode, size }
    const isTooMuch = budget.files <= 0 || budget.bytes < size
    const bytes = isTooMuch ? undefined : this.#repository?.read(blob)
    // If git stores the text in another form, it is not the content of the file.
    if (bytes?.length !== size) return { hash, mode, size }
    budget.files--
    budget.bytes -= size
    return { hash: sha256(bytes), mode, size, bytes }
  }
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

const flags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Undefined if it is no longer a regular file of that size. */
function readWhole(path: string, size: number): Buffer | undefined {
  if (size > largestRead) return undefined
  let fd: number | undefined
  try {
    fd = openSync(path, flags)
    if (!fstatSync(fd).isFile()) return undefined
    const bytes = Buffer.allocUnsafe(size + 1)
    let filled = 0
    for (let read = 1; read > 0 && filled <= size; filled += read)
      read = readSync(fd, bytes, filled, bytes.length - filled, filled)
    return filled === size ? bytes.subarray(0, size) : undefined
  } catch {
    // The file is gone, or we may not read it.
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
