import type { JsonObject, ToolCall } from '@mutsumi/schema'
import { canonicalArguments } from '../foreign/canonical-arguments.js'
import type { ToolOutline } from './define-tool.js'
import { calledToolName } from './tool-aliases.js'

/**
 * A call with the tool's own name and arguments. Permissions, the record and the tool itself all see this one, so
 * nothing may look at a call before. `outlineOf` says which names exist: a server's tool may have an alias of ours.
 */
export function canonicalCall<Call extends ToolCall>(
  call: Call,
  outlineOf: (name: string) => ToolOutline | undefined,
): Call {
  const meant = outlineOf(call.name) ? call : (editorCall(call) ?? call)
  const known = calledToolName(meant.name)
  const name = outlineOf(meant.name) || !outlineOf(known) ? meant.name : known
  const tool = outlineOf(name)
  // Tools without words of other agents check their arguments themselves, and so does a server.
  if (!tool?.foreign || !tool.schema) return { ...call, name, args: meant.args }
  const args = canonicalArguments(meant.args, { foreign: tool.foreign, schema: tool.schema })
  const isSeveral = name === 'Edit' && Array.isArray(args.edits) && !('old_string' in args)
  return isSeveral ? canonicalCall({ ...call, name: 'MultiEdit', args }, outlineOf) : { ...call, name, args }
}

/** `str_replace_editor` is several tools: its argument `command` says which. */
function editorCall<Call extends ToolCall>(call: Call): Call | undefined {
  if (!/^(?:str_replace(?:_based)?_edit(?:or|_tool)|text_editor)$/i.test(call.name)) return undefined
  const { command, ...args } = call.args
  const name = typeof command === 'string' ? editorCommands.get(command) : undefined
  return name === undefined ? undefined : { ...call, name, args: args as JsonObject }
}

/** `insert` has no counterpart. */
const editorCommands: ReadonlyMap<string, string> = new Map([
  ['view', 'Read'],
  ['create', 'Write'],
  ['str_replace', 'Edit'],
])
