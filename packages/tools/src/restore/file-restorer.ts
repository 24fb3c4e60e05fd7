import type { ReadFault } from '@mutsumi/schema'
import { ProtectedPlaces } from '../protected/protected-paths.js'
import { userConfigFolder } from '../user/user-config.js'
import { userHome } from '../user/user-home.js'
import { changeLimit, type LoadedFile } from '../workspace/load-file.js'
import { toPath } from '../workspace/paths.js'
import { realPathOf, realPathOrPlanned } from '../workspace/real-path.js'
import type { Workspace } from '../workspace/workspace.js'
import type { WriteFault } from '../workspace/write-faults.js'

export interface RestorerOptions {
  readonly workspace: Workspace
  /** What the session may touch: it narrows what the user opened. */
  readonly allowed: readonly string[]
  /** Folders that the user opened besides the workspace. */
  readonly roots?: readonly string[]
  readonly home?: string
  readonly configFolder?: string
}

/** What a path is now: a file, nothing, or something that is not brought back. */
export type FileNow =
  | LoadedFile
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }

/** What a file becomes. */
export interface Restoration {
  /** As it was looked at: if it changed since, it is left alone. */
  readonly now: Exclude<FileNow, { kind: 'refused' }>
  /** Undefined: there is no file. */
  readonly to: { readonly bytes: Uint8Array; readonly mode: number } | undefined
  /** The topmost folder that was made for the file: it goes with the file if it is empty then. */
  readonly made?: string | undefined
}

/**
 * Brings files back where tools may change them, and nowhere else. The paths come out of a session, and so perhaps from
 * a stranger: they stay inside what the user opened, lead through no link, and protected places are never touched.
 */
export class FileRestorer {
  readonly #options: RestorerOptions
  readonly #protected: ProtectedPlaces

  constructor(options: RestorerOptions) {
    const { workspace, roots = [], home = userHome(), configFolder = userConfigFolder() } = options
    this.#options = options
    this.#protected = new ProtectedPlaces({
      roots: [workspace.root, ...roots.map((root) => realPathOf(root) ?? root)],
      home: realPathOf(home) ?? home,
      configFolder,
    })
  }

  /** Why a path is never brought back; undefined where it can be. */
  refusal(path: string): string | undefined {
    const { workspace, allowed } = this.#options
    const place = this.#placeOf(path)
    if (place === undefined || !workspace.scopeOf(allowed).admits(place)) return outside
    if (realPathOrPlanned(place) !== place) return throughLink
    return this.#protected.isProtected(place) ? protectedPlace : undefined
  }

  look(path: string): FileNow {
    const refusal = this.refusal(path)
    const place = this.#placeOf(path)
    if (refusal !== undefined || place === undefined) return { kind: 'refused', reason: refusal ?? outside }
    const { workspace, allowed } = this.#options
    const found = workspace.load(place, { allowed, place, maxBytes: changeLimit })
    switch (found.kind) {
      case 'loaded':
        return found
      case 'directory':
        return { kind: 'refused', reason: 'is a folder now' }
      case 'fault':
        return found.code === 'NOT_FOUND' ? { kind: 'absent' } : { kind: 'refused', reason: reasonOf(found) }
      default:
        return found satisfies never
    }
  }

  /** Undefined where it is done. */
  restore(path: string, { now, to, made }: Restoration): WriteFault | undefined {
    const place = this.#placeOf(path)
    const refusal = this.refusal(path)
    if (place === undefined || refusal !== undefined)
      return { kind: 'fault', code: 'ACCESS_DENIED', message: refusal ?? outside }
    const { workspace, allowed } = this.#options
    const expected = now.kind === 'loaded' ? now : undefined
    if (to) return faultIn(workspace.replace(place, { allowed, place, expected, ...to }))
    if (expected === undefined) return undefined
    const folder = made === undefined ? undefined : this.#placeOf(made)
    return faultIn(workspace.remove(place, { allowed, place, expected, made: folder }))
  }

  #placeOf(path: string): string | undefined {
    return toPath(path, this.#options.workspace.root)
  }
}

const outside = 'is outside the folders that you opened'
const throughLink = 'leads through a link now'
const protectedPlace = 'is in a protected place'

function reasonOf({ message }: ReadFault): string {
  return message
}

function faultIn(answer: { readonly kind: string } | WriteFault): WriteFault | undefined {
  return 'code' in answer ? answer : undefined
}
