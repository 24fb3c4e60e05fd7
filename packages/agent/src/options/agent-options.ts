import type { ContextSettings, TokenCounter } from '@mutsumi/context'
import type { Model, Sampling } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import type { LazyTool, PermissionGate, Tool, ToolRunnerOptions, Workspace } from '@mutsumi/tools'
import type { ProtocolSetting } from '../protocol/choose-protocol.js'
import type { AgentLimits } from '../round/agent-host.js'
import type { Tracing } from './tracing.js'

export interface AgentOptions {
  /** Open for writing. The caller who opened it closes it. */
  readonly session: SessionFile
  readonly workspace: Workspace
  readonly model: Model
  readonly summaryModel?: Model
  readonly tools: readonly (Tool | LazyTool)[]
  readonly gate: Pick<PermissionGate, 'permit'> & Partial<Pick<PermissionGate, 'permitLeft' | 'mode'>>
  /** The folder of the user's own rules. */
  readonly userRules?: Workspace
  /** Absent: `auto`, so the model decides. */
  readonly protocol?: ProtocolSetting
  readonly settings?: ContextSettings
  readonly tokens?: TokenCounter
  readonly trusted?: boolean
  readonly macros?: Readonly<Record<string, string>>
  /** Folders that the user adds to those that a session may use. The workspace must have them among its roots. */
  readonly folders?: readonly string[]
  /** The user's own text for the end of the system prompt. */
  readonly appendSystem?: string
  readonly sampling?: Sampling
  readonly limits?: AgentLimits
  /** The clock that decides whether a prompt cache is cold, in milliseconds since 1970. */
  readonly now?: () => number
  readonly tracing?: Tracing
  /** Saves the content that tools remove. Absent: the session does. A sub-agent's changes belong to its parent. */
  readonly changes?: ToolRunnerOptions['changes']
}
