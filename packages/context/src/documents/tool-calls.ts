import type { ToolCall } from '@mutsumi/schema'
import { displayText, toolError } from '../ground/error-text.js'
import type { ToolRunner } from '../ground/ports.js'

export interface ToolCallContext {
  readonly tools: ToolRunner | undefined
  readonly allowed: readonly string[]
  /** The source of the call: the user's own prompt, or text from a file. */
  readonly origin: 'user' | 'file'
  readonly trusted: boolean
  readonly dryRun: boolean
  readonly signal?: AbortSignal
}

/** The text that the context shows for a call. `problem` is the warning for the user, if any. */
export interface CallContent {
  readonly content: string
  readonly problem?: { readonly code: 'tool-failed' | 'tool-not-run'; readonly message: string }
}

/**
 * Runs a call in a prompt or document, if it is allowed. The user may call any tool through the host's permission
 * gate. A file may call only read-only tools, and only in a workspace that the user trusts. A preview runs nothing with
 * side effects. Files and previews never start a sub-agent.
 */
export async function callTool(call: ToolCall, context: ToolCallContext): Promise<CallContent> {
  const { tools } = context
  if (!tools) return failed(call, 'there are no tools here')
  const refusal = reasonNotToRun(call, tools, context)
  if (refusal) return notRun(call, refusal)
  const { allowed, signal } = context
  const result = await tools.run(call, signal ? { allowed, signal } : { allowed })
  return result.status === 'error' ? failed(call, result.error.message) : { content: result.text }
}

function reasonNotToRun(call: ToolCall, tools: ToolRunner, context: ToolCallContext): string | undefined {
  const effect = tools.effectOf(call.name)
  const isAgent = effect !== undefined && startsAgent(call, tools)
  if (context.origin === 'file' && !context.trusted)
    return 'the call is in a file, and this workspace is not trusted (--trust)'
  // An unknown tool has no effect. Running it returns an error that names the nearest tool.
  if (effect === undefined || (effect === 'read' && !isAgent)) return undefined
  if (context.origin === 'file')
    return isAgent
      ? 'text from a file may not start a sub-agent'
      : 'text from a file may call read-only tools only'
  return context.dryRun ? 'this is a preview, and the tool has side effects' : undefined
}

/**
 * The tool that starts a sub-agent counts as read-only, because it changes nothing itself. But it asks the model and
 * calls other tools.
 */
function startsAgent(call: ToolCall, { canonical }: ToolRunner): boolean {
  return (canonical?.(call) ?? call).name === 'Task'
}

function notRun(call: ToolCall, reason: string): CallContent {
  const message = `${displayText(call.name)} was not run: ${reason}`
  return { content: `> ${message}`, problem: { code: 'tool-not-run', message } }
}

function failed(call: ToolCall, message: string): CallContent {
  return {
    content: toolError(call.name, message),
    problem: { code: 'tool-failed', message: `${displayText(call.name)}: ${message}` },
  }
}
