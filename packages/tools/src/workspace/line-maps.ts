import type { Stats } from 'node:fs'
import type { Encoding } from './decode.js'
import type { Opened } from './open-checked.js'
import { blockLength, LineMap } from './scan-lines.js'
import { isRacy, sameStat } from './stat-cache.js'

/** The map of a 64 MiB file has a thousand entries, so all of these together take a few megabytes. */
const mostMaps = 100

interface KnownMap {
  readonly map: LineMap
  readonly stat: Stats
  readonly readAt: number
}

/** The line maps of the files that were searched last, each valid while its file is unchanged. */
export class LineMaps {
  readonly #maps = new Map<string, KnownMap>()

  mapOf({ stat, realPath }: Opened, encoding: Encoding): LineMap {
    // A file that fits into one block gains nothing, and files in /proc change without notice.
    if (stat.size <= blockLength) return new LineMap(encoding)
    const known = this.#maps.get(realPath)
    const isValid = known !== undefined && sameStat(known.stat, stat) && !isRacy(known)
    const used = isValid ? known : { map: new LineMap(encoding), stat, readAt: Date.now() }
    this.#maps.delete(realPath)
    this.#maps.set(realPath, used)
    for (const oldest of this.#maps.keys()) {
      if (this.#maps.size <= mostMaps) break
      this.#maps.delete(oldest)
    }
    return used.map
  }
}
