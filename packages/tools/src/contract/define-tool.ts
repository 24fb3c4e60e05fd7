import type { JsonObject, ToolEffect, ToolErrorCode, Warning } from '@mutsumi/schema'
import type { output, ZodObject } from 'zod'
import type { SessionMemory } from '../session-memory/session-memory.js'
import type { PathPattern } from '../workspace/path-pattern.js'
import type { Workspace } from '../workspace/workspace.js'
import type { KeepChanges } from './changed-file.js'
import type { AssembleDocument } from './source-document.js'

/** What is known of a tool before its code is loaded. */
export interface ToolOutline {
  readonly name: string
  readonly effect: ToolEffect
  /** How the model is told about it: `Name: what it does`, its arguments on the second line, then what else it must know. */
  readonly prompt: string
  /** JSON Schema of its arguments, short, for native calls; made from the tool's own where absent. */
  readonly schema?: JsonObject
}

/**
 * Where the paths of a call really led when they were judged, by the path as the model wrote it. A tool ends up there
 * or nowhere: by the time it opens one, a link may lead elsewhere.
 */
export type Places = ReadonlyMap<string, string>

/** What a tool works with. */
export interface ToolContext {
  readonly workspace: Workspace
  readonly allowed: readonly string[]
  /** What rules deny to be read; absent where none does. */
  readonly denied?: readonly PathPattern[]
  readonly signal?: AbortSignal
  readonly memory: SessionMemory
  readonly assemble?: AssembleDocument
  /** Keeps what a change takes away; where absent, nothing can be brought back. */
  readonly keepChanges?: KeepChanges
  /** Absent where nobody judged the call by its paths. */
  readonly places?: Places
  /** Hears what happens while the tool runs. */
  readonly onEvent?: (event: ToolEvent) => void
}

/** Something a tool does that is worth showing before it is done. */
export type ToolEvent =
  | { readonly type: 'tool-output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'warning'; readonly warning: Warning }

/** What a call is about to touch: what the permission gate judges it by. */
export interface Touched {
  /** As the model wrote them. */
  readonly paths?: readonly string[]
  /** A command line for the shell. */
  readonly command?: string
  /** Whether a sandbox confines the command. */
  readonly confined?: boolean
  /** Why the call cannot run here, whatever rules and the user say: nobody is asked about it. */
  readonly refusal?: string
  /** What a lasting permission is bound to besides the tool's name: where it differs, the user is asked anew. */
  readonly approval?: string
}

/** What a tool answers; the runner adds the time it took and what it was asked. */
export type ToolOutcome =
  | {
      readonly status: 'success' | 'partial'
      readonly data: JsonObject
      readonly text: string
      readonly stats?: Readonly<Record<string, number>>
    }
  | {
      readonly status: 'error'
      readonly error: { readonly code: ToolErrorCode; readonly message: string }
      readonly data?: JsonObject
    }

/** A tool that can be called: its arguments come as JSON and are checked before it runs. */
export interface Tool extends ToolOutline {
  readonly parameters: ZodObject
  /** Undefined where the arguments do not fit: then nothing will be touched. */
  touches(args: JsonObject): Touched | undefined
  call(args: JsonObject, context: ToolContext): Promise<ToolOutcome>
}

export interface ToolDefinition<Parameters extends ZodObject> extends ToolOutline {
  readonly parameters: Parameters
  /** Nothing, where absent. */
  touches?(args: output<Parameters>): Touched | undefined
  run(args: output<Parameters>, context: ToolContext): ToolOutcome | Promise<ToolOutcome>
}

/** Makes a tool of a schema and a function; the function only ever sees arguments that fit the schema. */
export function defineTool<Parameters extends ZodObject>(definition: ToolDefinition<Parameters>): Tool {
  const { name, effect, prompt, schema, parameters } = definition
  return {
    name,
    effect,
    prompt,
    ...(schema && { schema }),
    parameters,
    touches(args) {
      const parsed = parameters.safeParse(args)
      return parsed.success ? (definition.touches?.(parsed.data) ?? {}) : undefined
    },
    async call(args, context) {
      const parsed = parameters.safeParse(args)
      if (parsed.success) return definition.run(parsed.data, context)
      return fail('INVALID_PARAM', parsed.error.issues.map(describeIssue).join('; '))
    },
  }
}

export function fail(code: ToolErrorCode, message: string): ToolOutcome {
  return { status: 'error', error: { code, message } }
}

/** `limit: Too big: expected number to be <=200`. */
function describeIssue({
  path,
  message,
}: {
  readonly path: readonly PropertyKey[]
  readonly message: string
}): string {
  return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`
}
