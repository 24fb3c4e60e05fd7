import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { filePath } from '../language/workspace-path.js'
import { type ContextNode, fileOfNode } from '../notebook/context-tree.js'
import type { SessionNode } from '../notebook/session-tree.js'
import type { Agents } from './agents.js'
import { compareAnswers } from './answer-diff.js'
import { compact, undoCompaction } from './compaction.js'
import { copyReference } from './copy-reference.js'
import type { DebugContext } from './debug-context.js'
import { actOnItem, undoAct } from './item-acts.js'
import type { Keys } from './keys.js'
import { selectModel } from './model-choice.js'
import type { NotebookFiles } from './notebook-files.js'
import type { NotebookModels } from './notebook-models.js'
import { type NotebookModes, selectMode } from './notebook-modes.js'
import { rootOf } from './places.js'
import { activeNotebook, type Previews } from './previews.js'
import { searchSessionsOf } from './search-sessions.js'
import {
  chosenFolder,
  exportNotebook,
  forkNode,
  newConversation,
  removeNode,
  renameNode,
  repairSession,
} from './session-commands.js'
import type { SessionsView } from './sessions-view.js'
import { showFailure } from './show-failure.js'
import type { TrustQuestions } from './trust-questions.js'
import { redoRounds, undoRounds } from './undo.js'

export interface NotebookCommandWorld {
  readonly agents: Agents
  readonly files: NotebookFiles
  readonly previews: Previews
  readonly debug: DebugContext
  readonly sessions: SessionsView
  readonly keys: Keys
  readonly models: NotebookModels
  readonly modes: NotebookModes
  readonly trust: TrustQuestions
  /** Stops the rounds of a session's file. */
  readonly stop: (path: string) => void
}

/** Registers every command of the extension, and shows failures to the user. */
export function registerCommands(world: NotebookCommandWorld): vscode.Disposable {
  const { previews, debug, sessions, keys } = world
  const commands: Readonly<Record<string, (...args: never[]) => unknown>> = {
    newConversation: () => newConversation(),
    debugContext: () => debug.open(),
    exactBody: () => debug.openBody(),
    undoRounds: (cell?: vscode.NotebookCell) => undoRounds(world, isCell(cell) ? cell : undefined),
    redoRounds: () => redoRounds(world),
    compact: () => compact(world),
    undoCompaction: () => undoCompaction(world),
    export: () => exportNotebook(),
    compareAnswers: () => compareAnswers(),
    repair: () => repairSession(),
    initializeRules: () => initializeProjectRules(),
    trust: () => trustFolder(world),
    selectModel: () => selectModel(world).then(() => world.agents.forget()),
    // Asking for the parts gives their gate the mode.
    selectMode: () =>
      selectMode(world.modes).then(async (notebook) => {
        if (notebook) await world.agents.ofSession(notebook)
        previews.soon()
      }),
    setKey: () => keys.ask().then(() => world.agents.forget()),
    copyReference: (uri?: vscode.Uri, all?: readonly vscode.Uri[]) => copyReference(uri, all),
    dropItem: (node: ContextNode) => actOnItem('drop', node, previews),
    restoreItem: (node: ContextNode) => actOnItem('restore', node, previews),
    pinItem: (node: ContextNode) => actOnItem('pin', node, previews),
    unpinItem: (node: ContextNode) => actOnItem('unpin', node, previews),
    undoAct: () => undoAct(previews),
    openItem: (node: ContextNode) => openItem(node),
    showProblem: () => {
      const why = previews.latest?.fault ?? previews.problem
      return why === undefined ? undefined : showFailure(why)
    },
    refreshSessions: () => sessions.lookAgain(),
    searchSessions: () => searchSessionsOf(sessions, world.files),
    stopSession: ({ path }: SessionNode) => world.stop(path),
    forkSession: (node: SessionNode) => forkNode(node).then(() => sessions.lookAgain()),
    renameSession: (node: SessionNode) => renameNode(node).then(() => sessions.lookAgain()),
    deleteSession: (node: SessionNode) => removeNode(node).then(() => sessions.lookAgain()),
  }
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`mutsumi.${name}`, async (...args: never[]) => {
        try {
          return await run(...args)
        } catch (error) {
          void showFailure(error)
        }
      }),
    ),
  )
}

/** From the notebook's toolbar, a command gets something else. */
function isCell(cell: vscode.NotebookCell | undefined): boolean {
  return cell !== undefined && 'document' in cell
}

/** Makes the default rules that a folder lacks. */
export async function initializeProjectRules(root?: string): Promise<void> {
  const place = root ?? (await chosenLocalFolder())
  if (place === undefined) return
  const { makeRules } = await import('../agent/make-rules.js')
  const { created, folder } = makeRules(place)
  const text =
    created.length === 0
      ? vscode.l10n.t('The default rules are there already: {0}', folder)
      : vscode.l10n.t('Made {0} in {1}', created.join(', '), folder)
  void vscode.window.showInformationMessage(messageText(text))
}

/** Asks again about the folder of the notebook in front, or about a folder of the workspace. */
async function trustFolder({ trust }: NotebookCommandWorld): Promise<void> {
  const { notebook } = activeNotebook() ?? {}
  const uri = notebook?.uri ?? (await chosenFolder())?.uri
  if (uri) await trust.ask(uri, 'command')
}

async function chosenLocalFolder(): Promise<string | undefined> {
  const folder = await chosenFolder()
  if (folder && folder.uri.scheme !== 'file')
    throw new Error(
      vscode.l10n.t('Rules can be made only in folders on this machine. This is {0}.', folder.uri.scheme),
    )
  return folder?.uri.fsPath
}

async function openItem(node: ContextNode): Promise<void> {
  const editor = activeNotebook()
  const path = fileOfNode(node)
  if (path === undefined || !editor) return
  const target = vscode.Uri.file(filePath(path, rootOf(editor.notebook.uri)))
  await vscode.commands.executeCommand('vscode.open', target, vscode.ViewColumn.Beside)
}
