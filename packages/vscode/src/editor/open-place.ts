import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { filePath } from '../language/workspace-path.js'
import { isLocal, rootUriOf } from './places.js'

/**
 * Opens a file that a round names, at its line. A model chose the name, so only existing files of the workspace open: a path
 * elsewhere could name a server on the network.
 */
export async function openPlace(
  notebook: vscode.Uri,
  { path, line }: { readonly path: string; readonly line?: number },
): Promise<void> {
  const target = await existing(notebook, path)
  if (!target) {
    const text = vscode.l10n.t('There is no file {0} in this workspace.', path)
    return void vscode.window.showInformationMessage(messageText(text))
  }
  const at = line === undefined ? undefined : new vscode.Position(Math.max(0, line - 1), 0)
  await vscode.commands.executeCommand('vscode.open', target, {
    viewColumn: vscode.ViewColumn.Beside,
    preview: true,
    ...(at && { selection: new vscode.Range(at, at) }),
  } satisfies vscode.TextDocumentShowOptions)
}

/** In the notebook's folder, then in the other folders of the workspace. */
async function existing(notebook: vscode.Uri, path: string): Promise<vscode.Uri | undefined> {
  const others = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri)
  const roots = [rootUriOf(notebook), ...others]
  const found = roots
    .map((root) =>
      isLocal(root) ? vscode.Uri.file(filePath(path, root.fsPath)) : vscode.Uri.joinPath(root, path),
    )
    .filter((uri) => roots.some((root) => isWithin(uri, root)))
  for (const uri of found) if (await isFile(uri)) return uri
  return undefined
}

function isWithin(uri: vscode.Uri, root: vscode.Uri): boolean {
  const folder = root.path.endsWith('/') ? root.path : `${root.path}/`
  return uri.scheme === root.scheme && uri.authority === root.authority && uri.path.startsWith(folder)
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0
  } catch {
    // There is no such file.
    return false
  }
}
