import { join } from 'node:path'
import { sniffImage } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { notebookType, promptLanguage } from './notebook-files.js'
import { isLocal, rootOf, rootUriOf } from './places.js'

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
    const place = vscode.workspace.getConfiguration('mutsumi', uri).get('images.folder')
    return place === 'workspace' && !isLocal(uri) ? storeRemote(bytes, uri) : storeLocal(bytes, uri, place)
  }
  return undefined
}

async function storeLocal(bytes: Uint8Array, uri: vscode.Uri, place: unknown): Promise<string> {
  const { storePastedImage } = await import('../agent/pasted-image.js')
  const folder = place === 'workspace' ? [join(rootOf(uri), ...imagesFolder)] : []
  const stored = storePastedImage(bytes, ...folder)
  if (stored.kind === 'fault') throw new Error(stored.message)
  const target = vscode.Uri.file(stored.path).toString(true)
  return `![image](${target.replaceAll(' ', '%20').replaceAll(')', '%29')})`
}

const imagesFolder = ['.mutsumi', 'images'] as const

/** In a virtual workspace, the editor itself writes. The path is relative: its files may be on a disk later. */
async function storeRemote(bytes: Uint8Array, uri: vscode.Uri): Promise<string | undefined> {
  const { pastedImageName } = await import('../agent/pasted-image.js')
  const name = pastedImageName(bytes)
  if (name === undefined) return undefined
  const folder = vscode.Uri.joinPath(rootUriOf(uri), ...imagesFolder)
  await vscode.workspace.fs.createDirectory(folder)
  await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), bytes)
  return `![image](${[...imagesFolder, name].join('/')})`
}
