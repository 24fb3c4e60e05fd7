import { dirname } from 'node:path'
import type { ReadFault } from '@mutsumi/schema'
import { ProtectedPlaces } from '../protected/protected-paths.js'
import { userConfigFolder } from '../user/user-config.js'
import { userHome } from '../user/user-home.js'
import { removeEmptyFolders } from '../workspace/empty-folders.js'
import { changeLimit, type LoadedFile } from '../workspace/load-file.js'
import { toPath } from '../workspace/paths.js'
import { realPathOf, realPathOrPlanned, splitAtMissing } from '../workspace/real-path.js'
import { sweepTemporary } from '../workspace/temporary-files.js'
import type { Workspace } from '../workspace/workspace.js'
import type { WriteFault } from '../workspace/write-faults.js'

export interface RestorerOptions {
  readonly workspace: Workspace
  /** The folders that the session may use: a part of those that the user opened. */
  readonly allowed: readonly string[]
  /** Folders that the user opened besides the workspace. */
  readonly roots?: readonly string[]
  readonly home?: string
  readonly configFolder?: string
}

/** The current state of a path: a file, nothing, or something that cannot be restored. */
export type FileNow =
  | LoadedFile
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }

/** The new state of a file. */
export interface Restoration {
  /** Its state when it was checked. If it changed since, it is not touched. */
  readonly now: Exclude<FileNow, { kind: 'refused' }>
  /** Undefined: there is no file. */
  readonly to: { readonly bytes: Uint8Array; readonly mode: number } | undefined
  /** The topmost folder that was created for the file. It is removed with the file if it is empty. */
  readonly made?: string | undefined
}

/**
 * Restores files only in places where tools may change them. The paths come from a session file, which a stranger may
 * have written. So they must be inside the folders that the user opened and lead through no link, and protected places
 * are never changed.
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

  /** Why a path cannot be restored; undefined if it can. */
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

  /** Undefined on success. */
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

  /**
   * Removes what a killed restoration left beside a file: temporary files and, if the file is gone, the empty folders
   * that were created for it.
   */
  tidy(path: string, made?: string): void {
    const place = this.#placeOf(path)
    if (place === undefined || this.refusal(path) !== undefined) return
    const { workspace, allowed } = this.#options
    const { found } = splitAtMissing(dirname(place))
    sweepTemporary(found, { start: '.mutsumi-', end: '.tmp' })
    const folder = made === undefined ? undefined : this.#placeOf(made)
    if (folder === undefined || this.look(path).kind !== 'absent') return
    removeEmptyFolders(found, dirname(folder), workspace.scopeOf(allowed).admits)
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
