import type { AgentMessage } from '@mutsumi/schema'
import type { Ports, TokenCounter } from './ports.js'
import type { ContextSettings } from './settings.js'

/** The parts of an engine that are the same in all of its builds. */
export interface World {
  readonly ports: Ports
  readonly settings: ContextSettings
  readonly tokens: TokenCounter
  /** The user trusts this workspace: its files may call read-only tools. */
  readonly trusted: boolean
  /** The allowed folder of a session that names none: the workspace. */
  readonly workspaceUris: readonly string[]
  /** The user's own text for the end of the system prompt. */
  readonly appendSystem: string
}

/** The input of one build. */
export interface Build extends World {
  readonly cell: number
  readonly prompt: string
  /** A preview: nothing with side effects runs. */
  readonly dryRun: boolean
  readonly signal?: AbortSignal
  /** The steps of this round so far. */
  readonly scratchpad: readonly AgentMessage[]
  /** Whether the provider still has what was sent last; absent: no request is to be sent. */
  readonly cache?: 'warm' | 'cold'
  /** The running round's todo list in one line. Absent: the history's list is used. */
  readonly todo?: string
}
