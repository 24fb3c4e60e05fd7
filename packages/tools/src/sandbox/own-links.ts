import { lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { userStateFolder } from '../user/user-config.js'
import { isInside } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import { ownedName } from '../workspace/temporary-files.js'

/** The links by which a Mutsumi that is installed in a workspace is started, with their targets. */
export type OwnLinks = ReadonlyMap<string, string>

/** Package managers put a link to the command beside the packages. No mount can hold a link. */
export function ownLinksIn(roots: readonly string[]): OwnLinks {
  const [, started = ''] = process.argv
  const places = [started, ...roots.map((root) => join(root, 'node_modules/.bin/mutsumi'))]
  const inside = places.filter(
    (path) => roots.some((root) => isInside(root, path)) && realPathOf(dirname(path)) === dirname(path),
  )
  return new Map(
    inside.flatMap((path) => {
      const target = targetOf(path)
      return target === undefined ? [] : [[path, target] as const]
    }),
  )
}

/**
 * Makes the links again that a command replaced, moves away the replacements, and returns the paths. Nothing may still run
 * that the command started.
 */
export function restoreOwnLinks(links: OwnLinks): string[] {
  return [...links].flatMap(([path, target]) => {
    if (targetOf(path) === target) return []
    const folder = dirname(path)
    // Everything above it is held by mounts.
    if (realPathOf(folder) !== folder) {
      moveAway(folder)
      mkdirSync(folder)
    }
    moveAway(path)
    symlinkSync(target, path)
    return [path]
  })
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
