import { basename } from 'node:path'
import * as vscode from 'vscode'
import { ChangeTexts } from '../notebook/change-texts.js'
import type { OpenPermissionQuestion, PermissionQuestions } from './permission-questions.js'

const scheme = 'mutsumi-change'
/** Changes that a question is about. The fragment of their addresses is the question. */
const questionScheme = 'mutsumi-question'
const texts = new ChangeTexts()

/** Provides the texts of changes that are not made yet, as long as a tab shows them: until their question is answered. */
export function registerChanges(questions: PermissionQuestions): vscode.Disposable {
  const provider = { provideTextDocumentContent: ({ query }: vscode.Uri) => texts.get(query) ?? '' }
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, provider),
    vscode.workspace.registerTextDocumentContentProvider(questionScheme, provider),
    questions.onDidChange(() => void closeAnswered(questions)),
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      if (closed.length > 0) texts.keep(shownTexts())
    }),
  )
}

function shownTexts(): ReadonlySet<string> {
  const both = diffTabs().flatMap(({ input: { original, modified } }) => [original, modified])
  return new Set(both.map(({ query }) => query))
}

interface DiffTab {
  readonly tab: vscode.Tab
  readonly input: vscode.TabInputTextDiff
}

/** The tabs that show changes of ours. */
function diffTabs(): readonly DiffTab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs)
  return tabs.flatMap((tab) => {
    const { input } = tab
    if (!(input instanceof vscode.TabInputTextDiff)) return []
    const isOurs = input.modified.scheme === scheme || input.modified.scheme === questionScheme
    return isOurs ? [{ tab, input }] : []
  })
}

async function closeAnswered(questions: PermissionQuestions): Promise<void> {
  const answered = diffTabs().filter(({ input: { modified } }) => {
    return modified.scheme === questionScheme && !questions.find(modified.fragment)
  })
  if (answered.length > 0) await vscode.window.tabGroups.close(answered.map(({ tab }) => tab))
}

/** The question whose change is in front. */
export function questionInFront(): string | undefined {
  const active = vscode.window.tabGroups.activeTabGroup.activeTab
  const found = diffTabs().find(({ tab }) => tab === active)?.input.modified
  return found?.scheme === questionScheme ? found.fragment : undefined
}

/** Shows a call's change in the diff editor: the file as it is, and as it would be. */
export async function showChange({ question, shown, root }: OpenPermissionQuestion): Promise<void> {
  const [named] = question.touched.paths ?? []
  const { namedFile } = await import('../agent/previewed-change.js')
  const path = namedFile(named, root)
  if (path === undefined || shown.preview === undefined) return
  const title = vscode.l10n.t('{0}: what {1} wants to change', basename(path), question.call.name)
  await showPatch({ path, diff: shown.preview, question: shown.id }, title)
}

/** A change that is not made yet, in the diff editor. */
export async function showPatch(
  { path, diff, question }: { readonly path: string; readonly diff: string; readonly question?: string },
  title: string,
): Promise<void> {
  const { changedText } = await import('../agent/previewed-change.js')
  const before = await readOr(vscode.Uri.file(path))
  const after = changedText(before, diff)
  if (after === undefined) return showText(diff)
  const place = question === undefined ? { scheme } : { scheme: questionScheme, fragment: question }
  const [left, right] = [before, after].map((text) => {
    return vscode.Uri.from({ ...place, path: `/${basename(path)}`, query: texts.add(text) })
  })
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true })
}

/** Two texts in the diff editor. In a tab of its own: closing the one that it replaced would drop the texts. */
export async function showTexts(
  { name, before, after }: { readonly name: string; readonly before: string; readonly after: string },
  title: string,
): Promise<void> {
  const [left, right] = [before, after].map((text) =>
    vscode.Uri.from({ scheme, path: `/${name}`, query: texts.add(text) }),
  )
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: false })
}

/** The file has changed since, so the change does not fit any more. */
async function showText(diff: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content: diff, language: 'diff' })
  await vscode.window.showTextDocument(document, { preview: true })
}

async function readOr(uri: vscode.Uri): Promise<string> {
  try {
    return Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('utf8')
  } catch {
    // The call creates the file.
    return ''
  }
}
