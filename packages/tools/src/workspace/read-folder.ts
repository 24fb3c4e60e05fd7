import { type Dirent, readdirSync } from 'node:fs'
import type { DirectoryReading } from '@mutsumi/schema'
import type { Opened } from './open-checked.js'

/** One name in a folder. `other` cannot be read: a pipe, a socket, a device. */
export interface FolderEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link' | 'other'
}

/** A folder as a reference shows it. A link counts as a file, whatever its target. */
export function readFolder(opened: Opened): DirectoryReading {
  const entries = listFolder(opened).map(({ name, kind }) => ({ name, directory: kind === 'folder' }))
  return { kind: 'directory', entries }
}

/** Folders first, each group sorted by code unit. */
export function listFolder({ fd, realPath }: Opened): FolderEntry[] {
  // Through the descriptor, because the name may lead to another folder by now.
  const path = process.platform === 'linux' ? `/proc/self/fd/${fd}` : realPath
  return readdirSync(path, { withFileTypes: true }).map(toEntry).sort(compareEntries)
}

/** The entries of a real folder, in no order; empty if it cannot be listed. */
export function entriesIn(folder: string): readonly FolderEntry[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map(toEntry)
  } catch {
    // Missing, not a folder, or without permission: no program of this user finds anything in it either.
    return []
  }
}

function toEntry(entry: Dirent): FolderEntry {
  return { name: entry.name, kind: kindOf(entry) }
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isDirectory()) return 'folder'
  if (entry.isFile()) return 'file'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

function compareEntries(one: FolderEntry, other: FolderEntry): number {
  if ((one.kind === 'folder') !== (other.kind === 'folder')) return one.kind === 'folder' ? -1 : 1
  return one.name < other.name ? -1 : 1
}
