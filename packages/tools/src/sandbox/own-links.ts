import { lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { once } from '@mutsumi/schema'
import { foldersFrom, userStateFolder } from '../user/user-config.js'
import { isInside } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import { ownedName } from '../workspace/temporary-files.js'

/**
 * The programs in `node_modules/.bin` that run when somebody starts a Mutsumi that is installed in a workspace. `npx` puts
 * that folder first on PATH, so a `node` or a `sh` in it would run instead of the system's.
 */
export type OwnLinks = readonly ProgramFolder[]

interface ProgramFolder {
  readonly folder: string
  /** By name: the target of a link, or nothing for a file, which a mount holds. */
  readonly programs: ReadonlyMap<string, string | undefined>
}

/** Finds them before a command. Package managers put links there, and no mount can hold a link. */
export function ownLinksIn(roots: readonly string[]): OwnLinks {
  return programFolders(roots).map((folder) => ({ folder, programs: ownProgramsIn(folder) }))
}

/** The files of these programs. */
export function ownProgramFiles(roots: readonly string[]): string[] {
  return programFolders(roots).flatMap((folder) =>
    [...ownProgramsIn(folder).keys()].flatMap((name) => realPathOf(join(folder, name)) ?? []),
  )
}

/**
 * Makes the links again that a command replaced, moves away the replacements and new programs, and returns the paths.
 * Nothing may still run that the command started.
 */
export function restoreOwnLinks(links: OwnLinks): string[] {
  return links.flatMap(({ folder, programs }) => {
    if (programs.size > 0) restoreFolder(folder)
    const names = new Set([...programs.keys(), ...ownProgramsIn(folder).keys()])
    return [...names].flatMap((name) => {
      const path = join(folder, name)
      const target = programs.get(name)
      if (programs.has(name) && targetOf(path) === target) return []
      moveAway(path)
      if (target !== undefined) symlinkSync(target, path)
      return [path]
    })
  })
}

/** Everything above it is held by mounts. */
function restoreFolder(folder: string): void {
  if (realPathOf(folder) === folder) return
  moveAway(folder)
  mkdirSync(folder)
}

/** The folder where this Mutsumi was started, and those in which `npx` looks in the opened folders and in those around the user's own. */
function programFolders(roots: readonly string[]): string[] {
  const [, started = ''] = process.argv
  const around = [...roots, ...foldersFrom(process.cwd())].map((folder) => join(folder, 'node_modules/.bin'))
  return [...new Set([dirname(started), ...around])].filter(
    (folder) =>
      roots.some((root) => isInside(root, folder)) && [folder, undefined].includes(realPathOf(folder)),
  )
}

function ownProgramsIn(folder: string): Map<string, string | undefined> {
  const [, started] = process.argv
  const isOnPath = basename(folder) === '.bin'
  return new Map(
    namesIn(folder)
      .filter((name) => join(folder, name) === started || (isOnPath && isProgramOfStart(name)))
      .map((name) => [name, targetOf(join(folder, name))]),
  )
}

/** A project's own tools have other names. */
function isProgramOfStart(name: string): boolean {
  return name === 'mutsumi' || systemPrograms().has(name)
}

const systemPrograms = once(
  () =>
    new Set(['node', 'sh', 'env', ...['/bin', '/usr/bin', '/run/current-system/sw/bin'].flatMap(namesIn)]),
)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // There is none.
    return []
  }
}

/** On another disk it stays beside the link, under a name that nobody starts. */
function moveAway(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  const name = `${basename(path)}-${ownedName()}`
  const folder = join(userStateFolder(), 'taken-out')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    renameSync(path, join(folder, name))
  } catch {
    renameSync(path, join(dirname(path), `.${name}.replaced`))
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // It is no link, or it is gone.
    return undefined
  }
}
