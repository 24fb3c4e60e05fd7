import { randomUUID } from 'node:crypto'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { imageHeaderLength, sniffImage } from '@mutsumi/schema'
import { isOwnFolder, pastedImagesFolder } from '@mutsumi/tools/parts'
import * as vscode from 'vscode'
import { rootOf } from './agents.js'
import { notebookType, promptLanguage } from './notebook-files.js'

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

/** The Markdown of the first picture in what was pasted; undefined if there is none. */
async function storedImage(uri: vscode.Uri, transfer: vscode.DataTransfer): Promise<string | undefined> {
  for (const [, item] of transfer) {
    const file = item.asFile()
    if (!file) continue
    const bytes = await file.data()
    const type = sniffImage(bytes.subarray(0, imageHeaderLength))
    if (type === undefined) continue
    const path = await store(bytes, endings[type], uri)
    return `![image](${vscode.Uri.file(path).toString(true).replaceAll(' ', '%20').replaceAll(')', '%29')})`
  }
  return undefined
}

const endings = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
} as const satisfies Record<NonNullable<ReturnType<typeof sniffImage>>, string>

/** Nobody else on the machine can read it, or guess its name. */
async function store(bytes: Uint8Array, ending: string, uri: vscode.Uri): Promise<string> {
  const place = vscode.workspace.getConfiguration('mutsumi', uri).get('images.folder')
  const folder = place === 'workspace' ? join(rootOf(uri), '.mutsumi', 'images') : pastedImagesFolder()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (place !== 'workspace') {
    if (!isOwnFolder(folder)) throw new Error(vscode.l10n.t('{0} belongs to another user.', folder))
    await chmod(folder, 0o700)
  }
  const path = join(folder, `${randomUUID()}.${ending}`)
  await writeFile(path, bytes, { mode: 0o600, flag: 'wx' })
  return path
}
