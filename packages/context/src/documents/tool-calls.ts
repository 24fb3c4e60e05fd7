import type { ToolCall, WordedPhrase } from '@mutsumi/schema'
import { displayText, toolError } from '../ground/error-text.js'
import type { ToolRunner } from '../ground/ports.js'
import { problemText, warningWords } from '../ground/warning-words.js'

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
  readonly problem?: WordedPhrase & { readonly code: 'tool-failed' | 'tool-not-run' }
}

/**
 * Runs a call in a prompt or document, if it is allowed. The user may call any tool through the host's permission
 * gate. A file may call only read-only tools, and only in a workspace that the user trusts. A preview runs nothing with
 * side effects. Files and previews never start a sub-agent.
 */
export async function callTool(call: ToolCall, context: ToolCallContext): Promise<CallContent> {
  const { tools } = context
  if (!tools) return failed(call, problemText('no-tools'))
  const refusal = reasonNotToRun(call, tools, context)
  if (refusal) return notRun(call, refusal)
  const { allowed, signal } = context
  const result = await tools.run(call, signal ? { allowed, signal } : { allowed })
  return result.status === 'error' ? failed(call, result.error.message) : { content: result.text }
}

function reasonNotToRun(call: ToolCall, tools: ToolRunner, context: ToolCallContext): string | undefined {
  const effect = tools.effectOf(call.name)
  const isAgent = effect !== undefined && startsAgent(call, tools)
  if (context.origin === 'file' && !context.trusted) return problemText('untrusted-file')
  // An unknown tool has no effect. Running it returns an error that names the nearest tool.
  if (effect === undefined || (effect === 'read' && !isAgent)) return undefined
  if (context.origin === 'file') return problemText(isAgent ? 'no-agent-from-file' : 'only-reading-from-file')
  return context.dryRun ? problemText('preview-without-effects') : undefined
}

/**
 * The tool that starts a sub-agent counts as read-only, because it changes nothing itself. But it asks the model and
 * calls other tools.
 */
function startsAgent(call: ToolCall, { canonical }: ToolRunner): boolean {
  return (canonical?.(call) ?? call).name === 'Task'
}

function notRun(call: ToolCall, reason: string): CallContent {
  const words = warningWords('tool-not-run', displayText(call.name), reason)
  return { content: `> ${words.message}`, problem: { code: 'tool-not-run', ...words } }
}

function failed(call: ToolCall, message: string): CallContent {
  return {
    content: toolError(call.name, message),
    problem: { code: 'tool-failed', ...warningWords('reference-failed', displayText(call.name), message) },
  }
}
