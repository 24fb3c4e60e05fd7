import type { AgentMessage } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { editorWarning } from '../notebook/editor-words.js'
import type { Previews } from './previews.js'

let previews: Previews | undefined

/** In the design documents the function has three arguments. Everything else is bound when the extension starts. */
export function bindHistory(bound: Previews): void {
  previews = bound
}

/**
 * Builds the messages that a cell of a notebook sends, and saves `contextItems` and `macroContext` to the notebook's
 * metadata. Other metadata stays as it is. Shows the first warnings to the user.
 */
export async function buildInteractionHistory(
  notebook: vscode.NotebookDocument,
  currentCellIndex: number,
  currentPrompt: string,
): Promise<{ messages: AgentMessage[]; allowedUris: string[]; isSubAgent: boolean }> {
  if (!previews) throw new TypeError('the extension is not active')
  const cell = { index: currentCellIndex, prompt: currentPrompt }
  const { messages, allowedUris, isSubAgent, warnings, contextItems, macros } = await previews.ofCell(
    notebook,
    cell,
  )
  const edit = new vscode.WorkspaceEdit()
  edit.set(notebook.uri, [
    vscode.NotebookEdit.updateNotebookMetadata({
      ...notebook.metadata,
      ...{ contextItems, macroContext: macros },
    }),
  ])
  await vscode.workspace.applyEdit(edit)
  for (const warning of warnings.slice(0, 3))
    void vscode.window.showWarningMessage(messageText(editorWarning(warning, vscode.env.language).message))
  return { messages: [...messages], allowedUris: [...allowedUris], isSubAgent }
}
