import { statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { knownMacros, type Macros, PathIndex, type Toolbox } from '@mutsumi/host'
import type { CompletionSource } from './prompt-completer.js'

export interface SourceOptions {
  readonly toolbox: Pick<Toolbox, 'workspace' | 'tools'>
  /** The folder that mutsumi was started in: a path is looked up below it first. */
  readonly cwd: string
  /** The macros of the session. */
  readonly macros: () => Macros
  /** Called when more paths were found. */
  readonly changed: () => void
}

/** Completes the names that a prompt can use in a workspace, and can be notified that its files changed. */
export function openCompletionSource({
  toolbox: { workspace, tools },
  cwd,
  macros,
  changed,
}: SourceOptions): CompletionSource & { outdate(): void } {
  const { root } = workspace
  const index = new PathIndex({ walk: () => workspace.walk([root]), changed })
  const folder = relative(root, cwd).split(sep).join('/')
  const isBelow = folder !== '' && !/^\.\.(?:\/|$)/.test(folder)
  return {
    find: (query) => index.find(query),
    written: isBelow ? (path) => writtenBelow(path, { root, folder }) : (path) => path,
    tools,
    macros: () => knownMacros(workspace, macros()),
    outdate: () => index.outdate(),
  }
}

/** A path is looked up below the folder first, then below the root. If that finds another file, we write it from `/`. */
function writtenBelow(path: string, { root, folder }: { root: string; folder: string }): string {
  const inside = `${folder}/`
  if (path.startsWith(inside) && path !== inside) return path.slice(inside.length)
  const isShadowed = statSync(`${root}/${inside}${path}`, { throwIfNoEntry: false }) !== undefined
  return isShadowed ? `${root}/${path}` : path
}
