import { dirname } from 'node:path'
import * as vscode from 'vscode'

/** The file of a document. A cell of a notebook is in the notebook's file. */
export function fileOf(uri: vscode.Uri): vscode.Uri {
  if (uri.scheme !== 'vscode-notebook-cell') return uri
  const notebook = vscode.workspace.notebookDocuments.find((each) => each.uri.path === uri.path)
  return notebook?.uri ?? uri.with({ scheme: 'file', fragment: '' })
}

/** Whether a document is on the machine that the extension runs on. A new one that has no file yet will be. */
export function isLocal(uri: vscode.Uri): boolean {
  const { scheme } = fileOf(uri)
  return scheme === 'file' || scheme === 'untitled'
}

/** The workspace folder of a local notebook or file; the folder that contains it if there is no workspace folder. */
export function rootOf(uri: vscode.Uri): string {
  const file = fileOf(uri)
  const folder = vscode.workspace.getWorkspaceFolder(file)?.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri
  return folder?.scheme === 'file' ? folder.fsPath : dirname(file.fsPath)
}

/** The same on any file system. */
export function rootUriOf(uri: vscode.Uri): vscode.Uri {
  const file = fileOf(uri)
  const folder = vscode.workspace.getWorkspaceFolder(file)?.uri
  return folder ?? (isLocal(uri) ? vscode.Uri.file(rootOf(uri)) : vscode.Uri.joinPath(file, '..'))
}

/** Why nothing runs for a document: tools, settings and sessions need files on this machine. */
export function notLocal(uri: vscode.Uri): Error {
  const { scheme } = fileOf(uri)
  return new Error(vscode.l10n.t('Rounds run only in files on this machine. This is {0}.', scheme))
}
