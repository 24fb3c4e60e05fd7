import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Deeper ones are rare, and every command waits for the search. */
const depthLimit = 3
const folderLimit = 1000

/** The folders below a root that hold a repository or an editor's settings of their own, the nearest first. */
export function nestedRepositories(root: string): string[] {
  const found: string[] = []
  let level = [root]
  let looked = 0
  for (let depth = 0; depth <= depthLimit; depth++) {
    const next: string[] = []
    for (const folder of level) {
      if (looked++ >= folderLimit) return found
      const entries = entriesOf(folder)
      if (folder !== root && entries.some(({ name }) => marks.has(name))) found.push(folder)
      for (const entry of entries) {
        if (entry.isDirectory() && !passedOver.has(entry.name)) next.push(join(folder, entry.name))
      }
    }
    level = next
  }
  return found
}

const marks = new Set(['.git', '.vscode'])
const passedOver = new Set(['.git', '.vscode', 'node_modules'])

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It may not be listed, or has gone: then no command finds anything in it either.
    return []
  }
}
