import { basename } from 'node:path'
import * as vscode from 'vscode'
import type { OpenPermissionQuestion } from './permission-questions.js'

const scheme = 'mutsumi-change'
const texts = new Map<string, string>()
let number = 0

/** Provides the texts of changes that are not made yet. */
export function registerChanges(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: ({ query }) => texts.get(query) ?? '',
  })
}

/** Shows a call's change in the diff editor: the file as it is, and as it would be. */
export async function showChange({ question, shown, root }: OpenPermissionQuestion): Promise<void> {
  const [named] = question.touched.paths ?? []
  const { namedFile } = await import('../agent/previewed-change.js')
  const path = namedFile(named, root)
  if (path === undefined || shown.preview === undefined) return
  const title = vscode.l10n.t('{0}: what {1} wants to change', basename(path), question.call.name)
  await showPatch({ path, diff: shown.preview }, title)
}

/** A change that is not made yet, in the diff editor. */
export async function showPatch(
  { path, diff }: { readonly path: string; readonly diff: string },
  title: string,
): Promise<void> {
  const { changedText } = await import('../agent/previewed-change.js')
  const before = await readOr(vscode.Uri.file(path))
  const after = changedText(before, diff)
  if (after === undefined) return
  const name = basename(path)
  const [left, right] = [before, after].map((text) => {
    const query = String(++number)
    texts.set(query, text)
    return vscode.Uri.from({ scheme, path: `/${name}`, query })
  })
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true })
}

async function readOr(uri: vscode.Uri): Promise<string> {
  try {
    return Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('utf8')
  } catch {
    // The call creates the file.
    return ''
  }
}
