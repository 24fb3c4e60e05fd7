import * as vscode from 'vscode'
import { Agents } from './editor/agents.js'
import { RoundController } from './editor/controller.js'
import { NotebookFiles, notebookType } from './editor/notebook-files.js'
import { PermissionQuestions } from './editor/permission-questions.js'
import { SessionSerializer } from './editor/serializer.js'

/** Wires the parts together. Nothing is decided here. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Mutsumi', { log: true })
  const files = new NotebookFiles()
  const approvals = new PermissionQuestions()
  const agents = new Agents(approvals, { log, keys: async () => ({}) })
  const controller = new RoundController({ files, agents, approvals, ended: () => undefined })
  const status = vscode.window.createStatusBarItem('mutsumi.context', vscode.StatusBarAlignment.Right, 100)
  status.name = 'Mutsumi'
  status.text = '$(comment-discussion) Mutsumi'
  status.show()
  context.subscriptions.push(
    ...[log, agents, controller, status],
    vscode.workspace.registerNotebookSerializer(notebookType, new SessionSerializer(files), {
      transientOutputs: true,
      transientCellMetadata: { id: true, mentioned: true, at: true },
    }),
    vscode.workspace.onDidOpenNotebookDocument((notebook) => {
      if (notebook.notebookType === notebookType) controller.prefer(notebook)
    }),
  )
}
