import type { FileChange, FileVersion } from '@mutsumi/schema'
import type { ChangedFile, FileBefore, FileOnDisk } from '@mutsumi/tools'
import type { FileCopies, MayKeep } from './file-copies.js'

/** The most that one session keeps of files that commands may change. Most of it is never needed. */
const room = { files: 500, bytes: 8 * 1024 * 1024 }

/** The most files that one record names. */
const mostListed = 200

export interface VersionKeeperOptions {
  readonly copies: FileCopies
  readonly mayKeep: MayKeep
}

/** Keeps contents that changes remove, each once, and names them for records. */
export class VersionKeeper {
  readonly #copies: FileCopies
  readonly #mayKeep: MayKeep
  readonly #left = { ...room }

  constructor({ copies, mayKeep }: VersionKeeperOptions) {
    this.#copies = copies
    this.#mayKeep = mayKeep
  }

  /** Why contents could not be kept; undefined as long as all were. */
  get problem(): string | undefined {
    return this.#copies.problem
  }

  /** `left` are the files as the round left them. A version that only the round itself has made is not kept. */
  async changes(
    changed: readonly ChangedFile[],
    left: Map<string, string | undefined>,
  ): Promise<readonly FileChange[]> {
    // Decided at once, because other changes may begin while the disk is busy.
    const isOwn = changed.map(({ path, before, after }) => {
      const own = left.has(path) && left.get(path) === before?.hash
      left.set(path, after?.hash)
      return own
    })
    const lost = await this.#keep(changed.filter((_, index) => !isOwn[index]))
    return changed.map(({ path, before, after, made }, index): FileChange => {
      const { hash = '', mode = 0 } = before ?? {}
      const version = isOwn[index] ? { hash, mode } : before && this.#named(before, lost.has(path))
      return {
        path,
        before: before ? (version ?? null) : null,
        after: after ? { hash: after.hash, mode: after.mode } : null,
        ...(made !== undefined && { made }),
      }
    })
  }

  /** The paths of those whose content must not be kept. */
  async #keep(changed: readonly ChangedFile[]): Promise<ReadonlySet<string>> {
    const secret = new Set<string>()
    const contents = new Map<string, Uint8Array>()
    for (const { path, before } of changed) {
      if (before === undefined) continue
      if (!(await this.#mayKeep(path))) secret.add(path)
      else if (before.bytes) contents.set(before.hash, before.bytes)
    }
    await this.#copies.keep(contents)
    return secret
  }

  /**
   * `listed` are the versions that the round has already named. `kept` are the hashes of those that are kept, and of
   * secrets: for those the hash is all that is remembered.
   */
  async before(
    found: readonly FileBefore[],
    listed: Set<string>,
  ): Promise<{ readonly files: readonly FileChange[]; readonly kept: ReadonlySet<string> }> {
    await this.#copies.keep(await this.#taken(found))
    const kept = new Set<string>()
    const files: FileChange[] = []
    for (const file of found) {
      const isSecret = !(await this.#mayKeep(file.path))
      if (isSecret || this.#copies.has(file.hash)) kept.add(file.hash)
      if (isSecret || !this.#copies.has(file.hash)) continue
      const name = `${file.hash} ${file.path}`
      if (listed.has(name) || files.length >= mostListed) continue
      listed.add(name)
      const version = this.#named(file, false)
      files.push({ path: file.path, before: version, after: version })
    }
    return { files, kept }
  }

  /** The contents for which there is room, if the files have not changed by now. */
  async #taken(found: readonly FileBefore[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const contents = new Map<string, Uint8Array>()
    for (const file of found) {
      const { hash, path, size } = file
      if (this.#copies.has(hash) || contents.has(hash)) continue
      if (this.#left.files <= 0 || this.#left.bytes < size || !(await this.#mayKeep(path))) continue
      const bytes = file.read()
      if (!bytes) continue
      this.#left.files--
      this.#left.bytes -= size
      contents.set(hash, bytes)
    }
    return contents
  }

  #named({ hash, mode, size }: FileOnDisk, isSecret: boolean): FileVersion {
    return !isSecret && this.#copies.has(hash) ? { hash, mode, size } : { hash, mode, lost: size }
  }
}
