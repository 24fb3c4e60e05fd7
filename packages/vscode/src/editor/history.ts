import type { AgentMessage } from '@mutsumi/schema'
import * as vscode from 'vscode'
import type { Agents } from './agents.js'
import type { NotebookFiles } from './notebook-files.js'

interface HistoryWorld {
  readonly agents: Agents
  readonly files: NotebookFiles
}

let world: HistoryWorld | undefined

/** In the design documents the function has three arguments. Everything else is bound when the extension starts. */
export function bindHistory(bound: HistoryWorld): void {
  world = bound
}

/**
 * Builds the messages that a cell of a notebook sends, and saves `contextItems` and `macroContext` to the notebook's
 * metadata. Other metadata stays as it is.
 */
export async function buildInteractionHistory(
  notebook: vscode.NotebookDocument,
  currentCellIndex: number,
  currentPrompt: string,
): Promise<{ messages: AgentMessage[]; allowedUris: string[]; isSubAgent: boolean }> {
  if (!world) throw new TypeError('the extension is not active')
  const { historyEngine, interactionHistory } = await import('../agent/history-engine.js')
  const { agents, files } = world
  const engine = historyEngine(await agents.ofSession(notebook))
  const session = files.sessionOf(notebook)
  const place = { cell: currentCellIndex, prompt: currentPrompt }
  const { messages, allowedUris, isSubAgent, metadata } = await interactionHistory(engine, session, place)
  const { contextItems, macroContext } = metadata
  const edit = new vscode.WorkspaceEdit()
  edit.set(notebook.uri, [
    vscode.NotebookEdit.updateNotebookMetadata({ ...notebook.metadata, contextItems, macroContext }),
  ])
  await vscode.workspace.applyEdit(edit)
  return { messages: [...messages], allowedUris: [...allowedUris], isSubAgent }
}
