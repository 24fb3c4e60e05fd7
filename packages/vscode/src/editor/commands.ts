import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deleteSession, forkSession, freePath, renameSession } from '@mutsumi/session/node'
import * as vscode from 'vscode'
import { filePath } from '../language/workspace-path.js'
import type { ContextNode } from '../notebook/context-tree.js'
import { type Agents, rootOf } from './agents.js'
import { copyReference } from './copy-reference.js'
import type { DebugContext } from './debug-context.js'
import { editorName } from './editor-model.js'
import { actOnItem, undoAct } from './item-acts.js'
import { type Keys, presets } from './keys.js'
import { type NotebookFiles, notebookType } from './notebook-files.js'
import { activeNotebook, type Previews } from './previews.js'
import { newSessionFolder, type SessionNode, type SessionsView } from './sessions-view.js'
import { redoRounds, undoRounds } from './undo.js'

export interface NotebookCommandWorld {
  readonly agents: Agents
  readonly files: NotebookFiles
  readonly previews: Previews
  readonly debug: DebugContext
  readonly sessions: SessionsView
  readonly keys: Keys
}

/** Registers every command of the extension, and shows failures to the user. */
export function registerCommands(world: NotebookCommandWorld): vscode.Disposable {
  const { previews, debug, sessions, keys } = world
  const commands: Readonly<Record<string, (...args: never[]) => unknown>> = {
    newConversation: () => newConversation(),
    debugContext: () => debug.open(),
    undoRounds: (cell?: vscode.NotebookCell) => undoRounds(world, isCell(cell) ? cell : undefined),
    redoRounds: () => redoRounds(world),
    compact: () => compact(world),
    undoCompaction: () => undoCompaction(),
    exportMarkdown: () => exportNotebook(),
    repair: () => repair(),
    initializeRules: () => initializeProjectRules(),
    selectModel: () => selectModel(),
    setKey: () => keys.ask().then(() => world.agents.forget()),
    copyReference: (uri?: vscode.Uri, all?: readonly vscode.Uri[]) => copyReference(uri, all),
    dropItem: (node: ContextNode) => actOnItem('drop', node, previews),
    restoreItem: (node: ContextNode) => actOnItem('restore', node, previews),
    pinItem: (node: ContextNode) => actOnItem('pin', node, previews),
    unpinItem: (node: ContextNode) => actOnItem('unpin', node, previews),
    undoAct: () => undoAct(previews),
    openItem: (node: ContextNode) => openItem(node),
    refreshSessions: () => sessions.refresh(),
    forkSession: (node: SessionNode) => fork(node).then(() => sessions.refresh()),
    renameSession: (node: SessionNode) => rename(node).then(() => sessions.refresh()),
    deleteSession: (node: SessionNode) => remove(node).then(() => sessions.refresh()),
  }
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`mutsumi.${name}`, async (...args: never[]) => {
        try {
          return await run(...args)
        } catch (error) {
          void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error))
        }
      }),
    ),
  )
}

/** From the notebook's toolbar, a command gets something else. */
function isCell(cell: vscode.NotebookCell | undefined): boolean {
  return cell !== undefined && 'document' in cell
}

async function newConversation(): Promise<void> {
  const folder = newSessionFolder()
  if (folder === undefined) throw new Error(vscode.l10n.t('Open a folder first.'))
  await mkdir(folder, { recursive: true })
  const path = await freePath(folder, 'conversation')
  await writeFile(path, '', { flag: 'wx' })
  await openNotebook(path)
  await vscode.commands.executeCommand('notebook.cell.insertCodeCellBelow')
}

async function openNotebook(path: string): Promise<void> {
  const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path))
  await vscode.window.showNotebookDocument(notebook)
}

/** Shows the losses and asks before it compacts. */
async function compact({ agents, files, previews }: NotebookCommandWorld): Promise<void> {
  const editor = activeNotebook()
  if (!editor) return
  const { notebook } = editor
  const { planCompaction, compactFile, lossText } = await import('../agent/compact.js')
  const parts = await agents.of(notebook.uri)
  const planned = await planCompaction(parts, await files.currentOf(notebook))
  if (planned.plan.kind !== 'plan') {
    const why =
      'message' in planned.plan ? planned.plan.message : vscode.l10n.t('There is nothing to compact yet.')
    void vscode.window.showInformationMessage(why)
    return
  }
  const yes = vscode.l10n.t('Compact')
  const text = vscode.l10n.t(
    'Compact the history: {0} → about {1} tokens?',
    planned.before,
    planned.plan.after,
  )
  const detail = lossText(planned)
  if ((await vscode.window.showWarningMessage(text, { modal: true, detail }, yes)) !== yes) return
  if (notebook.isDirty) await notebook.save()
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Compacting…'),
    cancellable: true,
  }
  await vscode.window.withProgress(progress, async (_, token) => {
    const stop = new AbortController()
    token.onCancellationRequested(() => stop.abort())
    await compactFile(parts, notebook.uri.fsPath, stop.signal)
  })
  previews.soon()
}

async function undoCompaction(): Promise<void> {
  const editor = activeNotebook()
  if (!editor) return
  const { undoNewest } = await import('../agent/compact.js')
  if (!(await undoNewest(editor.notebook.uri.fsPath)))
    void vscode.window.showInformationMessage(vscode.l10n.t('No compaction can be undone.'))
}

async function exportNotebook(): Promise<void> {
  const editor = vscode.window.activeNotebookEditor
  if (editor?.notebook.notebookType !== notebookType) return
  const { exportedText } = await import('../agent/export-session.js')
  const content = exportedText(await vscode.workspace.fs.readFile(editor.notebook.uri))
  await vscode.window.showTextDocument(
    await vscode.workspace.openTextDocument({ language: 'markdown', content }),
  )
}

/** Opening for writing repairs a file: damaged lines go to another file beside it. A copy is always kept. */
async function repair(): Promise<void> {
  const editor = vscode.window.activeNotebookEditor
  if (editor?.notebook.notebookType !== notebookType) return
  const { editSession } = await import('../agent/edit-session.js')
  const path = editor.notebook.uri.fsPath
  await copyFile(path, `${path}.bak-${new Date().toISOString().replaceAll(':', '-')}`)
  await editSession(path, async () => undefined)
  await vscode.commands.executeCommand('workbench.action.files.resetActiveEditorReadonlyInSession')
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor')
  await openNotebook(path)
}

export async function initializeProjectRules(): Promise<void> {
  const [first] = vscode.workspace.workspaceFolders ?? []
  if (!first) throw new Error(vscode.l10n.t('Open a folder first.'))
  const { makeRules } = await import('../agent/make-rules.js')
  const { created, folder } = makeRules(rootOf(first.uri))
  const text =
    created.length === 0
      ? vscode.l10n.t('The default rules are there already: {0}', folder)
      : vscode.l10n.t('Made {0} in {1}', created.join(', '), folder)
  void vscode.window.showInformationMessage(text)
}

async function selectModel(): Promise<void> {
  const own = (await presets()).map(({ name, example, missing }) => ({
    label: example,
    description: name,
    ...(missing ? { detail: missing } : {}),
  }))
  const offered = await vscode.lm.selectChatModels().then(
    (models) => models.map((model) => ({ label: editorName(model), description: `${model.name} (VS Code)` })),
    () => [],
  )
  const choices = [
    ...offered,
    ...own,
    { label: 'offline', description: vscode.l10n.t('built in, no network') },
  ]
  const title = vscode.l10n.t('Which model answers? Another one can be set as mutsumi.model.')
  const chosen = await vscode.window.showQuickPick(choices, { title, matchOnDescription: true })
  if (!chosen) return
  const config = vscode.workspace.getConfiguration('mutsumi')
  await config.update('model', chosen.label, vscode.ConfigurationTarget.Global)
}

async function openItem({ item }: ContextNode): Promise<void> {
  const editor = activeNotebook()
  if (!item || !editor) return
  const path = item.key.replace(/:\d+(?::\d+)?$/, '')
  const file = filePath(path, rootOf(editor.notebook.uri))
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file), vscode.ViewColumn.Beside)
}

async function fork({ path }: SessionNode): Promise<void> {
  const forked = await forkSession(path)
  if (forked.kind === 'fault') throw new Error(forked.message)
  await openNotebook(forked.path)
}

async function rename({ path, title }: SessionNode): Promise<void> {
  const named = await vscode.window.showInputBox({
    title: vscode.l10n.t('A title for this session'),
    value: title,
  })
  if (named === undefined || named.trim() === '') return
  const moved = await renameSession(path, { title: named.trim() })
  if (moved.kind !== 'moved') throw new Error(moved.message)
}

async function remove({ path, title }: SessionNode): Promise<void> {
  const yes = vscode.l10n.t('Move to the trash')
  const text = vscode.l10n.t(
    'Delete the session "{0}"? It can be restored from {1}.',
    title,
    join(dirname(path), '.trash'),
  )
  if ((await vscode.window.showWarningMessage(text, { modal: true }, yes)) !== yes) return
  const moved = await deleteSession(path)
  if (moved.kind !== 'moved') throw new Error(moved.message)
}
