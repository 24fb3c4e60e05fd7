import { join } from 'node:path'
import { sniffImage } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { notebookType, promptLanguage } from './notebook-files.js'
import { rootOf } from './places.js'

const kind = vscode.DocumentDropOrPasteEditKind.Empty.append('mutsumi', 'image')
const mimeTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'files']
const selector: vscode.DocumentSelector = { language: promptLanguage, notebookType }

/** Stores pictures that are pasted or dropped into a prompt, and writes `![image](file:///…)` there. */
export class ImagePasteProvider
  implements vscode.DocumentPasteEditProvider, vscode.DocumentDropEditProvider, vscode.Disposable
{
  readonly #registered = vscode.Disposable.from(
    vscode.languages.registerDocumentPasteEditProvider(selector, this, {
      pasteMimeTypes: mimeTypes,
      providedPasteEditKinds: [kind],
    }),
    vscode.languages.registerDocumentDropEditProvider(selector, this, {
      dropMimeTypes: mimeTypes,
      providedDropEditKinds: [kind],
    }),
  )

  async provideDocumentPasteEdits(
    document: vscode.TextDocument,
    _ranges: readonly vscode.Range[],
    transfer: vscode.DataTransfer,
  ): Promise<vscode.DocumentPasteEdit[]> {
    const text = await storedImage(document.uri, transfer)
    return text === undefined
      ? []
      : [new vscode.DocumentPasteEdit(text, vscode.l10n.t('Insert the picture'), kind)]
  }

  async provideDocumentDropEdits(
    document: vscode.TextDocument,
    _position: vscode.Position,
    transfer: vscode.DataTransfer,
  ): Promise<vscode.DocumentDropEdit | undefined> {
    const text = await storedImage(document.uri, transfer)
    return text === undefined
      ? undefined
      : new vscode.DocumentDropEdit(text, vscode.l10n.t('Insert the picture'), kind)
  }

  dispose(): void {
    this.#registered.dispose()
  }
}

/** The Markdown of the first pasted picture; undefined if there is none. */
async function storedImage(uri: vscode.Uri, transfer: vscode.DataTransfer): Promise<string | undefined> {
  for (const [, item] of transfer) {
    const bytes = await item.asFile()?.data()
    if (!bytes || sniffImage(bytes) === undefined) continue
    const { storePastedImage } = await import('../agent/pasted-image.js')
    const stored = storePastedImage(bytes, ...folderOf(uri))
    if (stored.kind === 'fault') throw new Error(stored.message)
    const target = vscode.Uri.file(stored.path).toString(true)
    return `![image](${target.replaceAll(' ', '%20').replaceAll(')', '%29')})`
  }
  return undefined
}

/** The folder that the user chose; empty for the default folder. */
function folderOf(uri: vscode.Uri): [] | [string] {
  const place = vscode.workspace.getConfiguration('mutsumi', uri).get('images.folder')
  return place === 'workspace' ? [join(rootOf(uri), '.mutsumi', 'images')] : []
}
