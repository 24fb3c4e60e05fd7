import { basename } from 'node:path'
import * as vscode from 'vscode'
import { ChangeTexts } from '../notebook/change-texts.js'
import type { OpenPermissionQuestion } from './permission-questions.js'

const scheme = 'mutsumi-change'
const texts = new ChangeTexts()

/** Provides the texts of changes that are not made yet, as long as a tab shows them. */
export function registerChanges(): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: ({ query }) => texts.get(query) ?? '',
    }),
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      if (closed.length > 0) texts.keep(shownTexts())
    }),
  )
}

function shownTexts(): ReadonlySet<string> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs)
  const inputs = tabs.map(({ input }) => input)
  const diffs = inputs.filter((input) => input instanceof vscode.TabInputTextDiff)
  const both = diffs.flatMap(({ original, modified }) => [original, modified])
  return new Set(both.filter((uri) => uri.scheme === scheme).map(({ query }) => query))
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
    return vscode.Uri.from({ scheme, path: `/${name}`, query: texts.add(text) })
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
