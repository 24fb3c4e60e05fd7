import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

type Files = Readonly<Record<string, string | Uint8Array>>

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
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'mutsumi-tools-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const folder: TemporaryFolder = {
    path,
    at: (name) => join(path, name),
    write(contents) {
      for (const [name, content] of Object.entries(contents)) writeFileSync(makeRoomFor(name), content)
    },
    link: (name, target) => symlinkSync(target, makeRoomFor(name)),
    pipe: (name) => void execFileSync('mkfifo', [makeRoomFor(name)]),
  }
  folder.write(files)
  return folder

  function makeRoomFor(name: string): string {
    const file = join(path, name)
    mkdirSync(dirname(file), { recursive: true })
    return file
  }
}
