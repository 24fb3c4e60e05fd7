import { posix } from 'node:path'
import * as vscode from 'vscode'
import { showTexts } from './change-diff.js'
import { notebookType } from './notebook-files.js'

/** Shows the two versions of a session in the diff editor with their answers: a diff of notebooks shows only the questions. */
export async function compareAnswers(): Promise<void> {
  const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {}
  if (!(input instanceof vscode.TabInputNotebookDiff) || input.notebookType !== notebookType) return
  const { exportedText } = await import('../agent/export-session.js')
  const [before = '', after = ''] = await Promise.all(
    [input.original, input.modified].map(async (uri) =>
      exportedText(await vscode.workspace.fs.readFile(uri), 'markdown'),
    ),
  )
  const name = posix.basename(input.modified.path)
  const title = vscode.l10n.t('{0}: questions and answers', name)
  await showTexts({ name: `${name}.md`, before, after }, title)
}
