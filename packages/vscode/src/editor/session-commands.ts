import { copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import type { SessionNode } from '../notebook/session-tree.js'
import { notebookType } from './notebook-files.js'
import { isLocal, notLocal } from './places.js'
import { openNotebookOf } from './session-files.js'
import { NoFolder } from './show-failure.js'

/** Makes a session in a folder of the workspace, and opens it. */
export async function newConversation(): Promise<void> {
  const folder = await chosenFolder()
  if (!folder) return
  await openNotebook(
    folder.uri.scheme === 'file' ? await newFile(folder.uri.fsPath) : await newRemote(folder),
  )
  await vscode.commands.executeCommand('notebook.cell.edit')
}

/** The only folder, or the one that the user chooses. */
export async function chosenFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? []
  if (folders.length === 0) throw new NoFolder()
  return folders.length === 1 ? folders[0] : vscode.window.showWorkspaceFolderPick()
}

async function newFile(root: string): Promise<vscode.Uri> {
  const { newSessionFile } = await import('../agent/session-folder.js')
  return vscode.Uri.file(await newSessionFile(root))
}

/** In a virtual workspace, the editor itself writes. */
async function newRemote({ uri }: vscode.WorkspaceFolder): Promise<vscode.Uri> {
  const { fs } = vscode.workspace
  const folder = vscode.Uri.joinPath(uri, '.mutsumi', 'sessions')
  await fs.createDirectory(folder)
  // A folder with sessions but without this file is one that its user wants in the repository.
  if ((await fs.readDirectory(folder)).length === 0)
    await fs.writeFile(vscode.Uri.joinPath(folder, '.gitignore'), new TextEncoder().encode('*\n'))
  const name = `conversation-${new Date().toISOString().replace(/[-:.]/g, '')}.mtm`
  const file = vscode.Uri.joinPath(folder, name)
  await fs.writeFile(file, new Uint8Array())
  return file
}

/** Opens a session's file, at a cell if one is given. */
export async function openNotebook(
  uri: vscode.Uri,
  cellOf: (notebook: vscode.NotebookDocument) => number = () => -1,
): Promise<void> {
  const notebook = await vscode.workspace.openNotebookDocument(uri)
  const editor = await vscode.window.showNotebookDocument(notebook)
  const cell = cellOf(notebook)
  if (cell === -1) return
  const range = new vscode.NotebookRange(cell, cell + 1)
  editor.selection = range
  editor.revealRange(range, vscode.NotebookEditorRevealType.AtTop)
}

export async function forkNode({ path }: SessionNode): Promise<void> {
  await saveOpen(path)
  const { copiesOfFork, forkSession, noteMoved } = await import('../agent/session-folder.js')
  const forked = await forkSession(path)
  if (forked.kind === 'fault') throw new Error(forked.message)
  noteMoved(forked.path)
  for (const { message } of copiesOfFork(forked.header))
    void vscode.window.showWarningMessage(messageText(message))
  await openNotebook(vscode.Uri.file(forked.path))
}

export async function renameNode({ path, title }: SessionNode): Promise<void> {
  const named = await vscode.window.showInputBox({
    title: vscode.l10n.t('A title for this session'),
    value: title,
  })
  if (named === undefined || named.trim() === '') return
  const { noteMoved, renameSession } = await import('../agent/session-folder.js')
  const isOpen = await saveOpen(path)
  const moved = await renameSession(path, { title: named.trim() })
  if (moved.kind !== 'moved') throw new Error(moved.message)
  noteMoved(moved.path)
  if (!isOpen || moved.path === path) return
  await openNotebook(vscode.Uri.file(moved.path))
  await closeTabs(path)
}

/** Cells that are not saved would stay out of the file. False if the file is not open. */
async function saveOpen(path: string): Promise<boolean> {
  const notebook = openNotebookOf(path)
  if (notebook?.isDirty) await notebook.save()
  return notebook !== undefined
}

/** The editor would show the old name as a deleted file. */
async function closeTabs(path: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)
  const isOld = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputNotebook && input.uri.scheme === 'file' && input.uri.fsPath === path
  await vscode.window.tabGroups.close(tabs.filter(isOld))
}

export async function removeNode({ path, title }: SessionNode): Promise<void> {
  const yes = vscode.l10n.t('Move to the trash')
  const text = vscode.l10n.t(
    'Delete the session "{0}"? It can be restored from {1}, but without the contents of files that undo keeps for it.',
    title,
    join(dirname(path), '.trash'),
  )
  if ((await vscode.window.showWarningMessage(messageText(text), { modal: true }, yes)) !== yes) return
  const { deleteSession, noteMoved, withItsCopies } = await import('../agent/session-folder.js')
  await saveOpen(path)
  const { removed: moved } = await withItsCopies(path, deleteSession)
  if (moved.kind !== 'moved') throw new Error(moved.message)
  noteMoved(moved.path)
  await closeTabs(path)
}

/** The session in front as Markdown or JSON, in an editor of its own. */
export async function exportNotebook(): Promise<void> {
  const editor = vscode.window.activeNotebookEditor
  if (editor?.notebook.notebookType !== notebookType) return
  const formats = [
    { label: 'Markdown', description: vscode.l10n.t('for people'), language: 'markdown' as const },
    { label: 'JSON', description: vscode.l10n.t('for other programs'), language: 'json' as const },
  ]
  const chosen = await vscode.window.showQuickPick(formats, { title: vscode.l10n.t('Export as') })
  if (!chosen) return
  const { exportedText } = await import('../agent/export-session.js')
  const content = exportedText(await vscode.workspace.fs.readFile(editor.notebook.uri), chosen.language)
  await vscode.window.showTextDocument(
    await vscode.workspace.openTextDocument({ language: chosen.language, content }),
  )
}

/** Opening for writing repairs a file: damaged lines go to another file beside it. A copy is always kept. */
export async function repairSession(): Promise<void> {
  const editor = vscode.window.activeNotebookEditor
  if (editor?.notebook.notebookType !== notebookType) return
  if (!isLocal(editor.notebook.uri)) throw notLocal(editor.notebook.uri)
  const { editSession } = await import('../agent/edit-session.js')
  const path = editor.notebook.uri.fsPath
  await copyFile(path, `${path}.bak-${new Date().toISOString().replaceAll(':', '-')}`)
  await editSession(path, async () => undefined)
  await vscode.commands.executeCommand('workbench.action.files.revert')
}
