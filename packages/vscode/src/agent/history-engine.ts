import { documentAssembler } from '@mutsumi/agent/parts'
import { buildInteractionHistory, ContextEngine, type InteractionHistory, type Ports } from '@mutsumi/context'
import { fitted, userRules } from '@mutsumi/host'
import type { AgentMetadata, Session } from '@mutsumi/schema'
import { type AssembleDocument, createToolRunner, hashText } from '@mutsumi/tools'
import type { AgentParts } from './run-cell.js'

export interface SavedHistory extends InteractionHistory {
  /** The session's metadata after the build: `contextItems` and `macroContext` are new. */
  readonly metadata: AgentMetadata
}

/** The engine of a workspace. It remembers files that it read, so a second build reads only those that changed. */
export function historyEngine({ run, toolbox, model }: AgentParts): ContextEngine {
  const { workspace, tools, gate } = toolbox
  const { trusted, folders = [] } = run
  const assemble: AssembleDocument = (document) =>
    documentAssembler({ ports: () => ports, trusted })(document)
  const runner = createToolRunner({ workspace, tools, permit: gate.permit, assemble })
  const ports: Ports = { reader: workspace, tools: runner, hash: hashText, ...userRules() }
  return new ContextEngine(ports, { settings: fitted(run, model), trusted, folders })
}

/** The messages that a cell of a session sends. */
export async function interactionHistory(
  engine: ContextEngine,
  session: Session,
  { cell, prompt }: { readonly cell: number; readonly prompt: string },
): Promise<SavedHistory> {
  const history = await buildInteractionHistory(session, cell, prompt, engine)
  return { ...history, metadata: session.metadata }
}
