import { array, boolean, strictObject, string } from 'zod'
import { defineTool } from '../contract/define-tool.js'
import { multiEditDescription } from '../prompts/descriptions.js'
import { changeFailure, changeFile } from './change-file.js'
import { editParameters, editText } from './edit.js'

const parameters = strictObject({
  path: string().min(1),
  edits: array(editParameters.strict()).min(1).max(200),
  dry_run: boolean().default(false),
})

/** Several edits of one file, all or none. */
export const multiEdit = defineTool({
  ...multiEditDescription,
  parameters,
  touches: ({ path }) => ({ paths: [path] }),
  run: (args, context) => changeFile(args, context, (before) => editText(before, args.edits)),
  failure: (args, context) => changeFailure(args, context, (before) => editText(before, args.edits)),
})
