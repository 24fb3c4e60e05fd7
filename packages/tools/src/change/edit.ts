import { boolean, object, strictObject, string } from 'zod'
import { defineTool } from '../contract/define-tool.js'
import { editDescription } from '../prompts/descriptions.js'
import { applyEdits, type TextEdit } from '../text-edit/apply-edit.js'
import type { TextFile } from '../text-edit/text-file.js'
import { type Change, changeFailure, changeFile } from './change-file.js'
import { fileText } from './file-text.js'

/** The arguments of one replacement. */
export const editParameters = object({
  old_string: fileText.min(1, 'must not be empty; use Write to create a file'),
  new_string: fileText,
  replace_all: boolean().default(false),
})

const parameters = strictObject({
  path: string().min(1),
  ...editParameters.shape,
  dry_run: boolean().default(false),
})

/** Replaces a text that occurs exactly once in a file, or every occurrence. */
export const edit = defineTool({
  ...editDescription,
  parameters,
  touches: ({ path }) => ({ paths: [path] }),
  run: (args, context) => changeFile(args, context, (before) => editText(before, [args])),
  failure: (args, context) => changeFailure(args, context, (before) => editText(before, [args])),
})

/** The text of a file after edits. */
export function editText(before: TextFile | undefined, edits: readonly TextEdit[]): Change {
  if (before === undefined)
    return { kind: 'refused', code: 'NOT_FOUND', reason: 'not found; use Write to create it' }
  if (!before.exact)
    return {
      kind: 'refused',
      reason: 'contains bytes that are invalid in its encoding and would be lost; use Bash',
    }
  const edited = applyEdits(before, edits)
  if (edited.kind === 'refused') return edited
  return { kind: 'change', after: edited.file, replacements: edited.replacements }
}
