import type { ContextSettings, TokenCounter } from '@mutsumi/context'
import type { Model, Sampling } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import type { LazyTool, PermissionGate, Tool, ToolRunnerOptions, Workspace } from '@mutsumi/tools'
import type { ProtocolSetting } from '../protocol/choose-protocol.js'
import type { AgentLimits } from '../round/agent-host.js'
import type { Tracing } from './tracing.js'

export interface AgentOptions {
  /** Open for writing; whoever opened it closes it. */
  readonly session: SessionFile
  readonly workspace: Workspace
  readonly model: Model
  readonly summaryModel?: Model
  readonly tools: readonly (Tool | LazyTool)[]
  readonly gate: Pick<PermissionGate, 'permit'>
  /** The folder of the user's own rules. */
  readonly userRules?: Workspace
  /** `auto` where absent: the model decides. */
  readonly protocol?: ProtocolSetting
  readonly settings?: ContextSettings
  readonly tokens?: TokenCounter
  readonly trusted?: boolean
  readonly macros?: Readonly<Record<string, string>>
  /** Folders that the user adds to what a session may touch; the workspace must have them among its roots. */
  readonly folders?: readonly string[]
  /** The user's own words at the end of the system prompt. */
  readonly appendSystem?: string
  readonly sampling?: Sampling
  readonly limits?: AgentLimits
  /** The clock that tells whether a prompt cache is cold: milliseconds since 1970. */
  readonly now?: () => number
  readonly tracing?: Tracing
  /** Keeps what tools take away; the session does where absent. A sub-agent's changes are its parent's. */
  readonly changes?: ToolRunnerOptions['changes']
}
