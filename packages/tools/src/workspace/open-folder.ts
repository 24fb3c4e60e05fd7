import { closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from './faults.js'
import type { Admits } from './open-checked.js'
import { descriptorPath } from './real-path.js'
import {
  notAdmittedForWriting,
  outsideForWriting,
  parentIsNoFolder,
  type WriteFault,
} from './write-faults.js'

/** An open folder, identified by its real path. */
export interface OpenFolder {
  readonly fd: number
  readonly realPath: string
  /** The path of a name in this very folder, even if the folder's own path leads elsewhere by now. */
  at(name: string): string
}

const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Opens a folder and passes it to `use`. A missing folder is created first, if that is allowed. */
export function withFolder<Result>(
  path: string,
  admits: Admits,
  use: (folder: OpenFolder) => Result | WriteFault,
): Result | WriteFault {
  const folder = openFolder(path) ?? makeFolder(path, admits)
  if ('kind' in folder) return folder
  try {
    return use(folder)
  } finally {
    closeSync(folder.fd)
  }
}

/** Undefined if there is no such folder. */
function openFolder(path: string): OpenFolder | WriteFault | undefined {
  const fd = openIfPresent(path)
  if (fd === undefined) return undefined
  let folder: OpenFolder | WriteFault | undefined
  try {
    folder = describeFolder(fd, path)
    return folder
  } finally {
    if (folder === undefined || 'kind' in folder) closeSync(fd)
  }
}

function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, flags)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function describeFolder(fd: number, openedAs: string): OpenFolder | WriteFault {
  const stat = fstatSync(fd)
  if (!stat.isDirectory()) return parentIsNoFolder
  const realPath = descriptorPath(fd, stat, openedAs)
  if (realPath === undefined) return outsideForWriting
  const door = process.platform === 'linux' ? `/proc/self/fd/${fd}` : realPath
  return { fd, realPath, at: (name) => `${door}/${name}` }
}

/** Creates one folder in its parent. Missing parents are created first; each is checked before the next. */
function makeFolder(path: string, admits: Admits): OpenFolder | WriteFault {
  return withFolder(dirname(path), admits, (parent) => {
    const name = basename(path)
    const place = join(parent.realPath, name)
    if (!admits(place)) return notAdmittedForWriting(place)
    makeUnlessPresent(parent.at(name))
    return openFolder(parent.at(name)) ?? outsideForWriting
  })
}

function makeUnlessPresent(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
