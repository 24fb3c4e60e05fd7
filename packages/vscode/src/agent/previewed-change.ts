import { toPath } from '@mutsumi/tools/parts'
import { applyPatch } from 'diff'

export { previewChange } from '@mutsumi/host'

/** The file that a call names; undefined if it is not a local file. */
export function namedFile(path: string | undefined, root: string): string | undefined {
  return path === undefined ? undefined : toPath(path, root)
}

/** A text after a change; undefined if the change does not fit it. */
export function changedText(text: string, diff: string): string | undefined {
  const changed = applyPatch(text, diff)
  return changed === false ? undefined : changed
}
