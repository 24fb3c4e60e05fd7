import type { FileChange, FileVersion } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import type { ChangedFile, FileBefore, FileOnDisk } from '@mutsumi/tools'
import { type StoredVersion, storedVersion } from './file-versions.js'

/** Versions of files for a record, and the snapshots that must be on disk with it. */
export interface KeptVersions {
  readonly files: readonly FileChange[]
  readonly snapshots: readonly NonNullable<StoredVersion['snapshot']>[]
}

/** The most that one session keeps of files that commands may change. Most of it is never needed. */
const room = { files: 500, bytes: 8 * 1024 * 1024 }

/** The most files that one record names. */
const mostListed = 200

/** Knows which versions of files a session has, so that each is stored once. */
export class VersionKeeper {
  readonly #session: Pick<SessionFile, 'facts'>
  /** The versions that were stored as base64, by the hash of the file. */
  readonly #base64 = new Map<string, string>()
  readonly #left = { ...room }

  constructor(session: Pick<SessionFile, 'facts'>) {
    this.#session = session
  }

  /** `left` are the files as the round left them. A version that only the round itself has made is not stored. */
  changes(changed: readonly ChangedFile[], left: Map<string, string | undefined>): KeptVersions {
    const snapshots: NonNullable<StoredVersion['snapshot']>[] = []
    const files = changed.map(({ path, before, after, made }): FileChange => {
      const isOwn = left.has(path) && left.get(path) === before?.hash
      left.set(path, after?.hash)
      const stored = before && this.#stored(before)
      if (stored?.snapshot && !isOwn) snapshots.push(stored.snapshot)
      return {
        path,
        before: stored?.version ?? null,
        after: after ? { hash: after.hash, mode: after.mode } : null,
        ...(made !== undefined && { made }),
      }
    })
    return { files, snapshots }
  }

  /** `listed` are the versions that the round has already named. */
  before(
    found: readonly FileBefore[],
    listed: Set<string>,
  ): KeptVersions & { readonly kept: ReadonlySet<string> } {
    const snapshots: NonNullable<StoredVersion['snapshot']>[] = []
    const kept = new Set<string>()
    const files: FileChange[] = []
    for (const file of found) {
      const stored = this.#known(file) ?? this.#taken(file)
      if (!stored) continue
      kept.add(file.hash)
      if (stored.snapshot) snapshots.push(stored.snapshot)
      const name = `${file.hash} ${file.path}`
      if (listed.has(name) || files.length >= mostListed) continue
      listed.add(name)
      files.push({ path: file.path, before: stored.version, after: stored.version })
    }
    return { files, snapshots, kept }
  }

  #stored(file: FileOnDisk): StoredVersion {
    return file.bytes ? storedVersion(file) : (this.#known(file) ?? { version: lostVersion(file) })
  }

  #known({ hash, mode }: Pick<FileOnDisk, 'hash' | 'mode'>): StoredVersion | undefined {
    const base64 = this.#base64.get(hash)
    if (base64 !== undefined) return { version: { hash, mode, base64 } }
    return this.#session.facts.snapshots.has(hash) ? { version: { hash, mode } } : undefined
  }

  /** Undefined if there is no room left, or if the file has changed by now. */
  #taken(file: FileBefore): StoredVersion | undefined {
    if (this.#left.files <= 0 || this.#left.bytes < file.size) return undefined
    const bytes = file.read()
    if (!bytes) return undefined
    this.#left.files--
    this.#left.bytes -= file.size
    const stored = storedVersion({ ...file, bytes })
    if (stored.version.base64 !== undefined) this.#base64.set(file.hash, stored.version.base64)
    return stored
  }
}

function lostVersion({ hash, mode, size }: FileOnDisk): FileVersion {
  return { hash, mode, lost: size }
}
