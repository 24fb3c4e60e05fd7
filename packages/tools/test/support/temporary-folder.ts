import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, makeFolder, makeRoomFor, writeFiles } from '../../../../test/support/folder.js'

/** A real folder on disk that goes away with its test. */
export interface TemporaryFolder {
  readonly path: string
  /** The absolute path of a name in it. */
  at(name: string): string
  /** Writes files, and the folders they need. */
  write(files: Files): void
  link(name: string, target: string): void
  pipe(name: string): void
}

export function temporaryFolder(files: Files = {}): TemporaryFolder {
  const path = makeFolder(files)
  return {
    path,
    at: (name) => join(path, name),
    write: (contents) => writeFiles(path, contents),
    link: (name, target) => symlinkSync(target, makeRoomFor(path, name)),
    pipe: (name) => void execFileSync('mkfifo', [makeRoomFor(path, name)]),
  }
}
