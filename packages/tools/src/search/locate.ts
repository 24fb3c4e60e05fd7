import { statSync } from 'node:fs'
import type { ReadFault } from '@mutsumi/schema'
import type { ReadScope } from '../workspace/allowed-folders.js'
import { withOpened } from '../workspace/open-checked.js'
import { isInside } from '../workspace/paths.js'

/** A file or folder in which a search begins. */
export interface SearchStart {
  /** Real. */
  readonly path: string
  readonly kind: 'file' | 'folder'
  /** Of a file, in bytes. */
  readonly size?: number
}

/**
 * The real place that a path names. A folder of the workspace that contains an allowed one counts too, because a
 * search passes through it.
 */
export function locate(
  path: string,
  { root, scope }: { readonly root: string; readonly scope: ReadScope },
): SearchStart | ReadFault {
  const admits = (realPath: string) =>
    scope.admits(realPath) || (isInside(root, realPath) && scope.isReachedThrough(realPath))
  return withOpened(path, admits, ({ stat, realPath }) => ({
    kind: stat.isDirectory() ? 'folder' : 'file',
    path: realPath,
    ...(stat.isFile() && { size: stat.size }),
  }))
}

/** The allowed parts of a place: itself, or the allowed folders below it. */
export function allowedParts(place: SearchStart, scope: ReadScope): readonly SearchStart[] {
  if (scope.admits(place.path)) return [place]
  const below = scope.folders.filter((folder) => isInside(place.path, folder))
  const outermost = below.filter(
    (folder) => !below.some((other) => other !== folder && isInside(other, folder)),
  )
  return [...new Set(outermost)].flatMap(toPlace)
}

function toPlace(path: string): SearchStart[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return [{ path, kind: 'folder' }]
  return stat?.isFile() ? [{ path, kind: 'file' }] : []
}
