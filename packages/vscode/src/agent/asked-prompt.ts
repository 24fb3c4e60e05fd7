import { Agent } from '@mutsumi/agent'
import { agentOptions } from '@mutsumi/host'
import type { Warning } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import type { AgentParts } from './run-cell.js'

/** A prompt as it is sent. */
export interface AskedPrompt {
  readonly prompt: string
  /** The words of the cell, if they call a user command. */
  readonly typed?: string
  readonly warnings: readonly Warning[]
  /** It calls a command that does not exist. It is not sent, and the warning says why. */
  readonly isRefused?: true
}

/** The prompt of a cell: its text, or that of the user command which it calls. */
export async function askedPrompt(
  parts: AgentParts,
  session: SessionFile,
  typed: string,
): Promise<AskedPrompt> {
  if (!typed.trimStart().startsWith('/')) return { prompt: typed, warnings: [] }
  const agent = await Agent.open(agentOptions(parts.run, { ...parts, session }))
  const prepared = await agent.prepare(typed)
  return { ...prepared, ...(prepared.prompt !== typed && { typed }) }
}
