import type { AgentMessage } from '@mutsumi/schema'
import type { Ports, TokenCounter } from './ports.js'
import type { ContextSettings } from './settings.js'

/** What an engine works with, the same in all of its builds. */
export interface World {
  readonly ports: Ports
  readonly settings: ContextSettings
  readonly tokens: TokenCounter
  /** The user trusts this workspace: its files may call read-only tools. */
  readonly trusted: boolean
  /** The workspace as a session names it that says nothing else. */
  readonly workspaceUris: readonly string[]
  /** The user's own words at the end of the system prompt. */
  readonly appendSystem: string
}

/** What one build is asked for. */
export interface Build extends World {
  readonly cell: number
  readonly prompt: string
  /** A preview: nothing with side effects runs. */
  readonly dryRun: boolean
  readonly signal?: AbortSignal
  /** What this round has said and done so far. */
  readonly scratchpad: readonly AgentMessage[]
  /** The running round's todo list in one line; absent: what the history says of it. */
  readonly todo?: string
}
