import * as vscode from 'vscode'
import { notebookType } from './notebook-files.js'

const most = 200
/** The sessions folder of the workspace is listed as a whole. Deleted sessions and those of packages are not shown. */
const ignored = '{.mutsumi/sessions/**,**/node_modules/**,**/.trash/**,**/.git/**}'

/** Session files anywhere in the workspace. They are searched again only after one was made or deleted. */
export class SessionFiles {
  #found: Promise<readonly string[]> | undefined

  forget(): void {
    this.#found = undefined
  }

  paths(): Promise<readonly string[]> {
    this.#found ??= findPaths().catch(() => {
      // The next look tries again. Sessions in the folder for them are listed meanwhile.
      this.forget()
      return []
    })
    return this.#found
  }
}

async function findPaths(): Promise<readonly string[]> {
  const found = await vscode.workspace.findFiles('**/*.mtm', ignored, most)
  return found.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath)
}

/** The notebooks that are open, in any place. */
export function openNotebooks(): readonly vscode.NotebookDocument[] {
  return vscode.workspace.notebookDocuments.filter((notebook) => notebook.notebookType === notebookType)
}

/** The open notebook of a file. */
export function openNotebookOf(path: string): vscode.NotebookDocument | undefined {
  return openNotebooks().find(({ uri }) => uri.scheme === 'file' && uri.fsPath === path)
}
