import { statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { withPathsFromRoot } from '@mutsumi/context/parts'

/** A prompt as it is recorded: paths that were typed in a subfolder of the workspace are first resolved from there. */
export function typedPrompt(prompt: string, { root }: { readonly root: string }): string {
  const folder = relative(root, process.cwd())
  const isBelow = folder !== '' && folder !== '..' && !folder.startsWith(`..${sep}`)
  if (!isBelow || !/@|!\[/.test(prompt)) return prompt
  const kindOf = (path: string) => {
    try {
      const found = statSync(join(root, path), { throwIfNoEntry: false })
      return found && (found.isDirectory() ? 'folder' : 'file')
    } catch {
      // A name that is too long, or a folder without search permission: it cannot be meant.
      return undefined
    }
  }
  return withPathsFromRoot(prompt, { folder: folder.split(sep).join('/'), kindOf })
}
