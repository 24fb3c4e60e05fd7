import { statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { withPathsFromRoot } from '@mutsumi/context/parts'

/** A prompt as it is recorded: the paths that were typed in a folder below the workspace's root count from there first. */
export function typedPrompt(prompt: string, { root }: { readonly root: string }): string {
  const folder = relative(root, process.cwd())
  const isBelow = folder !== '' && folder !== '..' && !folder.startsWith(`..${sep}`)
  if (!isBelow || !/@|!\[/.test(prompt)) return prompt
  const kindOf = (path: string) => {
    try {
      const found = statSync(join(root, path), { throwIfNoEntry: false })
      return found && (found.isDirectory() ? 'folder' : 'file')
    } catch {
      // A name too long, a folder that may not be looked into: nothing that could be meant.
      return undefined
    }
  }
  return withPathsFromRoot(prompt, { folder: folder.split(sep).join('/'), kindOf })
}
