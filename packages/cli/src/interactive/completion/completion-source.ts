import { statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { knownMacros, type Macros, PathIndex, type Toolbox } from '@mutsumi/host'
import type { CompletionSource } from './prompt-completer.js'

export interface SourceOptions {
  readonly toolbox: Pick<Toolbox, 'workspace' | 'tools'>
  /** Where the person types: paths that are there count from there. */
  readonly cwd: string
  /** The macros of the session. */
  readonly macros: () => Macros
  /** More was found. */
  readonly changed: () => void
}

/** What a prompt in a workspace can name, and a way to say that its files changed. */
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

/** Paths count from the folder first, then from the root. One that would mean another file is written from `/`. */
function writtenBelow(path: string, { root, folder }: { root: string; folder: string }): string {
  const inside = `${folder}/`
  if (path.startsWith(inside) && path !== inside) return path.slice(inside.length)
  const isShadowed = statSync(`${root}/${inside}${path}`, { throwIfNoEntry: false }) !== undefined
  return isShadowed ? `${root}/${path}` : path
}
