import type { Stats } from 'node:fs'
import type { Encoding } from './decode.js'
import type { Opened } from './open-checked.js'
import { blockLength, LineMap } from './scan-lines.js'
import { isRacy, sameStat } from './stat-cache.js'

/** A map of 64 MiB has a thousand entries: all of these together are a few megabytes. */
const mostMaps = 100

interface KnownMap {
  readonly map: LineMap
  readonly stat: Stats
  readonly readAt: number
}

/** The line maps of the files that were looked through last, each as long as its file is unchanged. */
export class LineMaps {
  readonly #maps = new Map<string, KnownMap>()

  mapOf({ stat, realPath }: Opened, encoding: Encoding): LineMap {
    // What fits into a block gains nothing, and files of /proc change without showing it.
    if (stat.size <= blockLength) return new LineMap(encoding)
    const known = this.#maps.get(realPath)
    const stands = known !== undefined && sameStat(known.stat, stat) && !isRacy(known)
    const used = stands ? known : { map: new LineMap(encoding), stat, readAt: Date.now() }
    this.#maps.delete(realPath)
    this.#maps.set(realPath, used)
    for (const oldest of this.#maps.keys()) {
      if (this.#maps.size <= mostMaps) break
      this.#maps.delete(oldest)
    }
    return used.map
  }
}
