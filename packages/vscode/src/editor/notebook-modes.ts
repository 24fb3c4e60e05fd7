import { type PermissionMode, permissionModes, reopenedMode } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { type NotebookFiles, notebookType } from './notebook-files.js'
import { activeNotebook } from './previews.js'

/**
 * The mode of each notebook: which calls run without a question. A session that is opened again can only narrow the mode of the
 * user's settings, because its file may come from anybody.
 */
export class NotebookModes {
  readonly #files: NotebookFiles
  readonly #chosen = new Map<string, PermissionMode>()
  /** The modes of the settings, by notebook, as they were read last. */
  readonly #usual = new Map<string, PermissionMode>()
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChange = this.#changed.event

  constructor(files: NotebookFiles) {
    this.#files = files
  }

  /** `usual`: the mode of the settings. */
  of(uri: vscode.Uri, usual?: PermissionMode): PermissionMode {
    const key = uri.toString()
    const before = this.#usual.get(key)
    if (usual !== undefined && usual !== before) {
      this.#usual.set(key, usual)
      this.#changed.fire()
    }
    return this.#chosen.get(key) ?? reopenedMode(usual ?? before ?? 'ask', this.#recorded(key))
  }

  choose(uri: vscode.Uri, mode: PermissionMode): void {
    this.#chosen.set(uri.toString(), mode)
    this.#changed.fire()
  }

  forget(uri: vscode.Uri): void {
    this.#chosen.delete(uri.toString())
  }

  /** The mode of the newest round. */
  #recorded(key: string): PermissionMode | undefined {
    const notebook = vscode.workspace.notebookDocuments.find(({ uri }) => uri.toString() === key)
    if (notebook?.notebookType !== notebookType) return undefined
    const cells = this.#files.openedOf(notebook)?.session.cells ?? []
    const asked = cells.findLast(({ metadata }) => (metadata?.mutsumi_interaction?.length ?? 0) > 0)
    return asked && (asked.metadata?.mode ?? 'ask')
  }
}

/** Lets the user choose the mode of the notebook in front. It counts at once, also for a round that runs. */
export async function selectMode(modes: NotebookModes): Promise<vscode.NotebookDocument | undefined> {
  const { notebook } = activeNotebook() ?? {}
  if (!notebook) return undefined
  const now = modes.of(notebook.uri)
  const items = permissionModes.map((mode) => {
    const label = `${mode === now ? '$(check) ' : ''}${modeName(mode)}`
    return { mode, label, description: aboutMode(mode) }
  })
  const title = vscode.l10n.t('What runs without a question in this notebook?')
  const picked = await vscode.window.showQuickPick(items, { title })
  if (!picked) return undefined
  modes.choose(notebook.uri, picked.mode)
  return notebook
}

export function modeName(mode: PermissionMode): string {
  switch (mode) {
    case 'plan':
      return vscode.l10n.t('Plan')
    case 'ask':
      return vscode.l10n.t('Ask')
    case 'edits':
      return vscode.l10n.t('Edits')
    case 'auto':
      return vscode.l10n.t('Auto')
    default:
      return mode satisfies never
  }
}

function aboutMode(mode: PermissionMode): string {
  switch (mode) {
    case 'plan':
      return vscode.l10n.t('nothing that has effects; the answer is a plan')
    case 'ask':
      return vscode.l10n.t('what only reads, and what your rules allow')
    case 'edits':
      return vscode.l10n.t('changes of files in the workspace too')
    case 'auto':
      return vscode.l10n.t('these, and commands that the sandbox confines')
    default:
      return mode satisfies never
  }
}
