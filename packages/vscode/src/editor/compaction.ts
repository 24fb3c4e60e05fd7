import * as vscode from 'vscode'
import type { NothingReading } from '../agent/compact.js'
import type { AgentParts } from '../agent/run-cell.js'
import { messageText } from '../language/plain-text.js'
import { type Agents, withUsableModel } from './agents.js'
import type { NotebookFiles } from './notebook-files.js'
import { isLocal, notLocal } from './places.js'
import { activeNotebook, type Previews } from './previews.js'

export interface CompactionWorld {
  readonly agents: Agents
  readonly files: NotebookFiles
  readonly previews: Previews
}

/** Shows the losses and asks before it compacts. */
export async function compact({ agents, files, previews }: CompactionWorld): Promise<void> {
  const editor = activeNotebook()
  if (!editor) return
  const { notebook } = editor
  const { planCompaction, lossText, nothingReading } = await import('../agent/compact.js')
  const parts = await agents.ofSession(notebook)
  const planned = await planCompaction(parts, await files.currentOf(notebook))
  const { plan } = planned
  if (plan.kind === 'nothing') return sayNothing(nothingReading(parts, planned))
  if (plan.kind === 'too-large') return void vscode.window.showInformationMessage(messageText(plan.message))
  withUsableModel(parts)
  const yes = vscode.l10n.t('Compact')
  const text = vscode.l10n.t('Compact the history: {0} → about {1} tokens?', planned.before, plan.after)
  const detail = lossText(planned, vscode.env.language)
  if ((await vscode.window.showWarningMessage(messageText(text), { modal: true, detail }, yes)) !== yes)
    return
  if (notebook.isDirty) await notebook.save()
  await carryOut(parts, notebook.uri.fsPath)
  previews.soon()
}

async function carryOut(parts: AgentParts, path: string): Promise<void> {
  const { compactFile } = await import('../agent/compact.js')
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Compacting…'),
    cancellable: true,
  }
  await vscode.window.withProgress(progress, async (_, token) => {
    const stop = new AbortController()
    token.onCancellationRequested(() => stop.abort())
    await compactFile(parts, path, stop.signal)
  })
}

async function sayNothing(reading: NothingReading): Promise<void> {
  const sizes = vscode.l10n.t(
    'The next request takes about {0} tokens; compaction begins at {1}.',
    reading.before,
    reading.threshold,
  )
  const text = `${nothingText(reading)} ${sizes}`
  if (reading.why === 'not-shorter') return void vscode.window.showInformationMessage(messageText(text))
  const setting = vscode.l10n.t('Open the Setting')
  if ((await vscode.window.showInformationMessage(messageText(text), setting)) === setting)
    await vscode.commands.executeCommand('workbench.action.openSettings', 'mutsumi.keep')
}

function nothingText({ why, rounds, keptRounds, keptTokens }: NothingReading): string {
  switch (why) {
    case 'all-rounds-stay':
      return vscode.l10n.t(
        'Nothing to compact: the newest {0} rounds stay (mutsumi.keep), and the request has {1}.',
        keptRounds,
        rounds,
      )
    case 'all-tokens-stay':
      return vscode.l10n.t(
        'Nothing to compact: the newest rounds stay up to {0} tokens (mutsumi.keep), or a summary would not be shorter.',
        keptTokens,
      )
    case 'not-shorter':
      return vscode.l10n.t(
        'Nothing to compact: a summary would not be shorter than the rounds that could leave.',
      )
    default:
      return why satisfies never
  }
}

export async function undoCompaction({ previews }: Pick<CompactionWorld, 'previews'>): Promise<void> {
  const editor = activeNotebook()
  if (!editor) return
  if (!isLocal(editor.notebook.uri)) throw notLocal(editor.notebook.uri)
  const { undoNewest } = await import('../agent/compact.js')
  const back = await undoNewest(editor.notebook.uri.fsPath)
  void vscode.window.showInformationMessage(messageText(undoneText(back)))
  previews.soon()
}

function undoneText(back: number | undefined): string {
  if (back === undefined) return vscode.l10n.t('No compaction can be undone.')
  return back === 0
    ? vscode.l10n.t('The newest compaction was undone: results that it shortened are sent in full again.')
    : vscode.l10n.t('The newest compaction was undone. Rounds that are sent again: {0}.', back)
}
