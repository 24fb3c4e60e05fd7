import type { AgentMessage, Session } from '@mutsumi/schema'
import type { AssembleOptions, ContextEngine } from './assemble.js'

export interface InteractionHistory {
  readonly messages: readonly AgentMessage[]
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
}

/**
 * Builds what cell `currentCellIndex` sends and saves `contextItems` and `macroContext` to the session's
 * metadata; a preview saves nothing. Give the same engine for the next build: it remembers what it read.
 */
export async function buildInteractionHistory(
  session: Session,
  currentCellIndex: number,
  currentPrompt: string,
  engine: ContextEngine,
  options: AssembleOptions = {},
): Promise<InteractionHistory> {
  const { messages, allowedUris, isSubAgent, metadata } = await engine.assemble(
    session,
    currentCellIndex,
    currentPrompt,
    options,
  )
  if (!options.dryRun) session.metadata = metadata
  return { messages, allowedUris, isSubAgent }
}
