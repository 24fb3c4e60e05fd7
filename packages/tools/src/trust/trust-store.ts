import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { array, object, type output, string, union } from 'zod'
import { outcomeWords } from '../reasons/outcome.js'
import { withConfigLock } from '../user/config-lock.js'
import {
  type ConfigReading,
  foldersFrom,
  readConfigFile,
  type Saving,
  type StoreFault,
  userConfigFolder,
  writeConfigFile,
} from '../user/user-config.js'
import { realPathOf } from '../workspace/real-path.js'
import type { Allowance } from './project-allowances.js'

/** Whether a folder's own config, rules and servers are used. */
export type Trust =
  | { readonly kind: 'trusted' }
  /** The user has not decided, or has withdrawn their trust. */
  | { readonly kind: 'untrusted' }
  /** The user trusted it, but something that takes effect is new or changed since: one line each. */
  | { readonly kind: 'changed'; readonly changes: readonly string[] }
  /** Trusted by a version that did not record what it allowed. */
  | { readonly kind: 'unbound' }
  | StoreFault

/** A folder that the user has decided about. */
export interface TrustedFolder {
  readonly folder: string
  readonly trust: 'trusted' | 'unbound' | 'distrusted'
  /** Names of the allowed pieces. */
  readonly allows: readonly string[]
}

export type TrustList = { readonly kind: 'folders'; readonly folders: readonly TrustedFolder[] } | StoreFault

/**
 * The folders whose own config, rules and servers are used, with the pieces that existed when the user trusted them.
 * Real paths only, so that a link that is changed to another folder does not carry trust with it.
 */
export class TrustStore {
  readonly #file: string

  constructor(folder: string = userConfigFolder()) {
    this.#file = join(folder, 'trusted.json')
  }

  /** `now` has the effects that the folder would have if it were trusted. */
  check(root: string, now: readonly Allowance[]): Trust {
    const path = realPathOf(root)
    const reading = this.#read()
    if (reading.kind === 'fault') return { kind: 'fault', ...outcomeWords('trust-unread', reading.phrase) }
    if (path === undefined) return { kind: 'untrusted' }
    return judge(path, now, reading.content)
  }

  /** Whether the user said no to the folder, or to the nearest one above that they decided about. */
  isDistrusted(root: string): boolean {
    const path = realPathOf(root)
    const reading = this.#read()
    if (reading.kind === 'fault' || path === undefined) return false
    const { trusted, distrusted } = reading.content
    const decided = new Set([...trusted.map(folderOf), ...distrusted])
    const nearest = foldersFrom(path).find((folder) => decided.has(folder))
    return nearest !== undefined && distrusted.includes(nearest)
  }

  list(): TrustList {
    const reading = this.#read()
    if (reading.kind === 'fault') return reading
    const { trusted, distrusted } = reading.content
    const refused = distrusted.map((folder): TrustedFolder => ({ folder, trust: 'distrusted', allows: [] }))
    return { kind: 'folders', folders: [...trusted.map(describeEntry), ...refused] }
  }

  trust(root: string, now: readonly Allowance[]): Saving {
    const path = realPathOf(root)
    if (path === undefined) return notFound(root)
    if (path === dirname(path))
      return {
        kind: 'fault',
        ...outcomeWords('folder-of-all', path),
      }
    const allows = now.map(({ name, hash }) => ({ name, hash }))
    return this.#change(path, ({ trusted, distrusted }) => ({
      trusted: [...trusted, { folder: path, allows }],
      distrusted,
    }))
  }

  distrust(root: string): Saving {
    const path = realPathOf(root)
    if (path === undefined) return notFound(root)
    return this.#change(path, ({ trusted, distrusted }) => ({ trusted, distrusted: [...distrusted, path] }))
  }

  /** Replaces earlier decisions about the folder with the ones that `change` adds. */
  #change(path: string, change: (others: TrustFile) => TrustFile): Saving {
    return withConfigLock(this.#file, () => {
      const reading = this.#read()
      if (reading.kind === 'fault') return { kind: 'fault', ...outcomeWords('repair-first', reading.phrase) }
      const { trusted, distrusted } = reading.content
      const others = {
        trusted: trusted.filter((entry) => folderOf(entry) !== path),
        distrusted: distrusted.filter((folder) => folder !== path),
      }
      return writeConfigFile(this.#file, change(others))
    })
  }

  #read(): TrustReading {
    const reading = readConfigFile(this.#file, trustFile)
    return reading.kind === 'missing'
      ? { kind: 'content', content: { trusted: [], distrusted: [] } }
      : reading
  }
}

type TrustReading = Exclude<ConfigReading<TrustFile>, { readonly kind: 'missing' }>

/** Older versions stored only the path. */
const trustEntry = union([
  string(),
  object({ folder: string(), allows: array(object({ name: string(), hash: string() })) }),
])
const trustFile = object({ trusted: array(trustEntry), distrusted: array(string()).default([]) })

type TrustFile = output<typeof trustFile>
type TrustEntry = output<typeof trustEntry>

function folderOf(entry: TrustEntry): string {
  return typeof entry === 'string' ? entry : entry.folder
}

function describeEntry(entry: TrustEntry): TrustedFolder {
  if (typeof entry === 'string') return { folder: entry, trust: 'unbound', allows: [] }
  return { folder: entry.folder, trust: 'trusted', allows: entry.allows.map(({ name }) => name) }
}

/**
 * The nearest folder that the user decided about counts. A folder below it is covered as long as it has no config of
 * its own.
 */
function judge(path: string, now: readonly Allowance[], { trusted, distrusted }: TrustFile): Trust {
  for (const folder of foldersFrom(path)) {
    if (distrusted.includes(folder)) return { kind: 'untrusted' }
    const entry = trusted.find((each) => folderOf(each) === folder)
    if (entry === undefined) continue
    if (typeof entry === 'string') return { kind: 'unbound' }
    if (folder !== path) return isOnItsOwn(path, now) ? { kind: 'untrusted' } : { kind: 'trusted' }
    const changes = changesSince(entry.allows, now)
    return changes.length === 0 ? { kind: 'trusted' } : { kind: 'changed', changes }
  }
  return { kind: 'untrusted' }
}

/** A project inside a trusted folder. It may have been added long after the user's decision. */
function isOnItsOwn(path: string, now: readonly Allowance[]): boolean {
  return now.length > 0 || ['.git', '.mutsumi'].some((name) => existsSync(join(path, name)))
}

/** A removed piece allows nothing, so it does not count as a change. */
function changesSince(before: readonly Omit<Allowance, 'shown'>[], now: readonly Allowance[]): string[] {
  return now
    .filter(({ name, hash }) => !before.some((known) => known.name === name && known.hash === hash))
    .map(({ name, shown }) => {
      const isKnown = before.some((known) => known.name === name)
      return `${name} is ${isKnown ? 'changed' : 'new'}: ${shown}`
    })
}

function notFound(root: string): Saving {
  return { kind: 'fault', ...outcomeWords('folder-missing', root) }
}
