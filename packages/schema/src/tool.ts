import type { JsonObject } from './json.js'

/** The side effects that a tool can have. */
export type ToolEffect = 'read' | 'write' | 'execute'

export interface ToolCall {
  readonly name: string
  readonly args: JsonObject
}

export type ToolErrorCode =
  | 'NOT_FOUND'
  | 'ACCESS_DENIED'
  | 'PERMISSION_DENIED'
  | 'INVALID_PARAM'
  | 'TIMEOUT'
  | 'INTERNAL_ERROR'
  | 'EXECUTION_ERROR'
  | 'IS_DIRECTORY'
  | 'BINARY_FILE'
  | 'CONFLICT'

interface ToolResultBase {
  readonly data: JsonObject
  /** The text that the model reads. */
  readonly text: string
  readonly stats: { readonly time_ms: number; readonly [key: string]: number }
  readonly context: { readonly cwd: string; readonly params_input: JsonObject }
}

/** `partial`: truncated, a fallback, a dry run or a non-zero exit. */
export interface ToolSuccess extends ToolResultBase {
  readonly status: 'success' | 'partial'
}

export interface ToolFailure extends ToolResultBase {
  readonly status: 'error'
  readonly error: { readonly code: ToolErrorCode; readonly message: string }
}

export type ToolResult = ToolSuccess | ToolFailure

export interface ToolRunContext {
  readonly allowed: readonly string[]
  readonly signal?: AbortSignal
}
