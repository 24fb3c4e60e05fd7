import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'

/** Empty folders and files on disk that hold the place of something missing, with how many commands need each. */
const standIns = new Map<string, number>()

export function isStandIn(path: string): boolean {
  return standIns.has(path)
}

/** Makes one; false where that is not possible. Nobody needs it yet. */
export function standIn(path: string, kind: 'folder' | 'file'): boolean {
  try {
    if (kind === 'folder') mkdirSync(path)
    else writeFileSync(path, '', { flag: 'wx' })
    standIns.set(path, 0)
    return true
  } catch {
    // Its folder is missing, or we may not write here, so the command may not either.
    return false
  }
}

/** One command more needs it, if it is one. */
export function holdStandIn(path: string): void {
  const holds = standIns.get(path)
  if (holds !== undefined) standIns.set(path, holds + 1)
}

/** The last command that lets go takes it away. */
export function letStandInGo(path: string): void {
  const holds = standIns.get(path)
  if (holds === undefined) return
  standIns.set(path, holds - 1)
  if (holds > 1) return
  standIns.delete(path)
  removeIfEmpty(path)
}

/** If someone outside the sandbox has put something in it meanwhile, it is theirs. */
function removeIfEmpty(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() && readdirSync(path).length === 0) rmdirSync(path)
  if (found?.isFile() && found.size === 0) rmSync(path)
}
