import type { JsonObject, ToolEffect, ToolErrorCode, Warning } from '@mutsumi/schema'
import type { output, ZodObject } from 'zod'
import type { ForeignWords } from '../foreign/foreign-words.js'
import type { SessionMemory } from '../session-memory/session-memory.js'
import type { PathPattern } from '../workspace/path-pattern.js'
import type { Workspace } from '../workspace/workspace.js'
import type { ChangeKeeper } from './changed-file.js'
import type { LeftPlace } from './left-places.js'
import type { AssembleDocument } from './source-document.js'

/** The description of a tool, available before its code is loaded. */
export interface ToolOutline {
  readonly name: string
  readonly effect: ToolEffect
  /** The description for the model: `Name: what it does`, its arguments on the second line, then further hints. */
  readonly prompt: string
  /** A short JSON Schema of its arguments for native calls. Absent: derived from the tool's own schema. */
  readonly schema?: JsonObject
  /** How models that learnt other agents' tools call its arguments. With `schema` only. */
  readonly foreign?: ForeignWords
}

/**
 * The real targets of a call's paths when they were judged, by the path as the model wrote it. The tool opens exactly
 * these or fails, because a link may lead elsewhere by then.
 */
export type Places = ReadonlyMap<string, string>

/** The environment of a tool call. */
export interface ToolContext {
  readonly workspace: Workspace
  readonly allowed: readonly string[]
  /** Paths that rules deny reading; absent if there are none. */
  readonly denied?: readonly PathPattern[]
  readonly signal?: AbortSignal
  readonly memory: SessionMemory
  readonly assemble?: AssembleDocument
  /** Saves the content that a change removes. Absent: nothing can be restored. */
  readonly changes?: ChangeKeeper
  /** A person reads the diff, so it is whole, however long. */
  readonly wholeDiff?: true
  /** Absent if the call was not judged by its paths. */
  readonly places?: Places
  /**
   * Returns the paths of the places that may be put back, by rules or by the user's word. Absent: none.
   */
  readonly permitLeft?: (places: readonly LeftPlace[]) => Promise<readonly string[]>
  /** Called with progress while the tool runs. */
  readonly onEvent?: (event: ToolEvent) => void
}

/** Progress of a tool that is worth showing before it ends. */
export type ToolEvent =
  | { readonly type: 'tool-output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'warning'; readonly warning: Warning }

/** The paths or the command that a call is about to use. The permission gate judges the call by them. */
export interface Touched {
  /** As the model wrote them. */
  readonly paths?: readonly string[]
  /** A command line for the shell. */
  readonly command?: string
  /** Whether a sandbox confines the command. */
  readonly confined?: boolean
  /** Why the call cannot run here at all. The user is not asked about it. */
  readonly refusal?: string
  /** A permanent permission depends on this besides the tool's name. If it changes, the user is asked again. */
  readonly approval?: string
}

/** A tool's answer. The runner adds the time and the call. */
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

/** The changes of a call that undo can restore: everything except ignored files, or nothing. */
export type UndoReach = 'not-ignored' | 'nothing'

/** A tool that can be called. Its arguments are JSON and are checked before it runs. */
export interface Tool extends ToolOutline {
  readonly parameters: ZodObject
  /** Undefined if the arguments are invalid: then the tool changes nothing. */
  touches(args: JsonObject): Touched | undefined
  /** Called before the call, to inform the user. Absent if undo can take all its changes back. */
  undoReach?(args: JsonObject, context: Pick<ToolContext, 'workspace'>): Promise<UndoReach | undefined>
  /**
   * The failure that the call would have now, found without changing anything. Nobody is asked about a call that
   * cannot succeed. Absent: the call shows it.
   */
  failure?(args: JsonObject, context: ToolContext): Promise<ToolOutcome | undefined>
  call(args: JsonObject, context: ToolContext): Promise<ToolOutcome>
}

export interface ToolDefinition<Parameters extends ZodObject> extends ToolOutline {
  readonly parameters: Parameters
  /** Absent: nothing. */
  touches?(args: output<Parameters>): Touched | undefined
  undoReach?: Tool['undoReach']
  failure?(args: output<Parameters>, context: ToolContext): Promise<ToolOutcome | undefined>
  run(args: output<Parameters>, context: ToolContext): ToolOutcome | Promise<ToolOutcome>
}

/** Creates a tool from a schema and a function. The function only gets arguments that match the schema. */
export function defineTool<Parameters extends ZodObject>(definition: ToolDefinition<Parameters>): Tool {
  const { name, effect, prompt, schema, foreign, parameters, failure } = definition
  return {
    name,
    effect,
    prompt,
    ...(schema && { schema }),
    ...(foreign && { foreign }),
    ...(definition.undoReach && { undoReach: definition.undoReach }),
    parameters,
    touches(args) {
      const parsed = parameters.safeParse(args)
      return parsed.success ? (definition.touches?.(parsed.data) ?? {}) : undefined
    },
    ...(failure && {
      async failure(args: JsonObject, context: ToolContext) {
        const parsed = parameters.safeParse(args)
        return parsed.success ? failure(parsed.data, context) : undefined
      },
    }),
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
