import { type Stats, statSync } from 'node:fs'
import type { Reading, ReadOptions } from '@mutsumi/schema'
import type { ReadScope } from './allowed-folders.js'
import { sameReading, textLength } from './same-reading.js'

/** A reading, and the file's metadata at that time. */
export interface CacheEntry {
  readonly reading: Reading
  readonly stat: Stats
  readonly realPath: string
  /** When the reading began, in milliseconds. */
  readonly readAt: number
  /** The last scope that admitted `realPath`. */
  scope: ReadScope
}

export interface CacheLimits {
  readonly entries: number
  /** Characters of all texts together. */
  readonly text: number
}

/** Limits that keep a long session from holding a whole disk in memory. */
const defaultLimits: CacheLimits = { entries: 10_000, text: 256 * 1024 * 1024 }

/** Readings by path, the oldest dropped first. */
export class StatCache {
  readonly #entries = new Map<string, CacheEntry>()
  readonly #limits: CacheLimits
  #text = 0

  constructor(limits = defaultLimits) {
    this.#limits = limits
  }

  find(path: string, options: ReadOptions): CacheEntry | undefined {
    const whole = this.#entries.get(path)
    if (whole !== undefined && comesWhole(whole.stat, options)) return whole
    return this.#entries.get(partKey(path, options))
  }

  /**
   * Caches a reading. If an equal one is already cached, that one is returned, so that the same text is not processed
   * twice.
   */
  keep(path: string, options: ReadOptions, entry: CacheEntry): Reading {
    const known = this.find(path, options)?.reading
    const reading = known && sameReading(known, entry.reading) ? known : entry.reading
    const whole = comesWhole(entry.stat, options)
    // A file that has grown too large must not be found with its earlier content.
    if (!whole && !this.#isCurrent(path, entry)) this.#drop(path)
    this.#put(whole ? path : partKey(path, options), { ...entry, reading })
    return reading
  }

  #isCurrent(path: string, { stat }: CacheEntry): boolean {
    const whole = this.#entries.get(path)
    return whole !== undefined && sameStat(whole.stat, stat)
  }

  #put(key: string, entry: CacheEntry): void {
    this.#drop(key)
    this.#entries.set(key, entry)
    this.#text += textLength(entry.reading)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.entries && this.#text <= this.#limits.text) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#text -= textLength(entry.reading)
  }
}

/** True if the file is certainly unchanged: one `stat`, nothing opened. */
export function isUnchanged(entry: CacheEntry, path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat !== undefined && sameStat(entry.stat, stat) && !isRacy(entry)
  } catch {
    // It is no longer accessible. The next attempt to open it reports why.
    return false
  }
}

/** True if nothing shows that the file was changed in between. */
export function sameStat(one: Stats, other: Stats): boolean {
  return (
    one.mtimeMs === other.mtimeMs &&
    one.size === other.size &&
    one.ctimeMs === other.ctimeMs &&
    one.ino === other.ino &&
    one.dev === other.dev
  )
}

/**
 * The same problem as in git: if a file was read within the clock's resolution after its last change, it can change
 * again without a new time. As in git, such an entry proves nothing.
 */
export function isRacy({ stat, readAt }: Pick<CacheEntry, 'stat' | 'readAt'>): boolean {
  return readAt - stat.mtimeMs < grainOf(stat.mtimeMs) || readAt - stat.ctimeMs < grainOf(stat.ctimeMs)
}

/** A clock tick is at most 10 ms. A time in whole seconds may come from a file system with that resolution. */
function grainOf(timeMs: number): number {
  return timeMs % 1000 === 0 ? 2000 : 100
}

function comesWhole(stat: Stats, { maxBytes, maxImageBytes }: ReadOptions): boolean {
  return stat.size <= maxBytes && stat.size <= maxImageBytes
}

/** The cut depends on the limits and on the requested lines. A path cannot contain NUL. */
function partKey(path: string, { maxBytes, maxImageBytes, lines }: ReadOptions): string {
  return `${path}\0${maxBytes}:${maxImageBytes}:${lines ? `${lines.start}:${lines.end}` : ''}`
}
