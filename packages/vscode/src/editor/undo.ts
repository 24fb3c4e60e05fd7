import type { FileOutcome, UndoOutcome, UndoPlan } from '@mutsumi/agent'
import * as vscode from 'vscode'
import type { UndoWish } from '../agent/undo-session.js'
import { messageText } from '../language/plain-text.js'
import { filePath } from '../language/workspace-path.js'
import { editorWarning } from '../notebook/editor-words.js'
import { type UndoLine, undoCounts, undoLines } from '../notebook/undo-lines.js'
import type { Agents } from './agents.js'
import { showPatch } from './change-diff.js'
import type { NotebookFiles } from './notebook-files.js'
import { activeNotebook, type Previews } from './previews.js'

export interface UndoWorld {
  readonly agents: Agents
  readonly files: NotebookFiles
  readonly previews: Previews
}

/** Undoes rounds and their changes to files: those from a cell on, or the newest one. Shows the plan first. */
export function undoRounds(world: UndoWorld, cell?: vscode.NotebookCell): Promise<void> {
  return follow(world, { kind: 'undo', from: cell && world.files.idOf(cell) })
}

/** Takes the newest undo back. Shows the plan first. */
export function redoRounds(world: UndoWorld): Promise<void> {
  return follow(world, { kind: 'redo' })
}

async function follow({ agents, previews }: UndoWorld, wish: UndoWish): Promise<void> {
  const notebook = activeNotebook()?.notebook
  if (!notebook) throw new Error(vscode.l10n.t('Open a Mutsumi notebook first.'))
  // An unsaved cell would come back as a new one.
  if (notebook.isDirty) await notebook.save()
  const { planOfUndo, carryOutUndo, finishBegunIn } = await import('../agent/undo-session.js')
  const parts = await agents.of(notebook.uri)
  const path = notebook.uri.fsPath
  for (const warning of await finishBegunIn(parts, path))
    tell(editorWarning(warning, vscode.env.language).message)
  const plan = await planOfUndo(parts, path, wish)
  if (plan.kind === 'nothing') return tell(nothing[plan.why]())
  const root = parts.toolbox.workspace.root
  if (!(await isAgreed(plan, root))) return
  refuseUnsavedFiles(plan, root)
  const outcome = await carryOutUndo(parts, path, plan)
  if (!outcome) throw new Error(vscode.l10n.t('The session has changed meanwhile. Look at the plan again.'))
  tell(outcomeText(outcome))
  if (outcome.unkept !== undefined)
    void vscode.window.showWarningMessage(
      messageText(vscode.l10n.t('This cannot be reverted completely: {0}', outcome.unkept)),
    )
  previews.soon()
}

function tell(text: string): void {
  void vscode.window.showInformationMessage(messageText(text))
}

const nothing: Readonly<Record<'no-rounds' | 'no-undo' | 'asked-since', () => string>> = {
  'no-rounds': () => vscode.l10n.t('There is no round to undo.'),
  'no-undo': () => vscode.l10n.t('Nothing was undone.'),
  'asked-since': () => vscode.l10n.t('A cell was added since the last undo, so there is nothing to redo.'),
}

interface PlanItem extends vscode.QuickPickItem {
  readonly line?: UndoLine
  readonly isYes?: true
}

/** Lists everything that would happen. A file that is chosen opens as a diff; then the list can be opened again. */
async function isAgreed(plan: UndoPlan, root: string): Promise<boolean> {
  const items = [yesItem(plan), { label: vscode.l10n.t('Cancel') }, ...undoLines(plan).map(itemOf)]
  const options = { title: titleOf(plan), placeHolder: vscode.l10n.t('Choose a file to see its change.') }
  for (;;) {
    const chosen: PlanItem | undefined = await vscode.window.showQuickPick(items, options)
    if (!chosen?.line) return chosen?.isYes === true
    if (!(await showLine(chosen.line, { plan, root }))) continue
    const back = vscode.l10n.t('Back to the Plan')
    const text = vscode.l10n.t('Nothing has been changed yet.')
    if ((await vscode.window.showInformationMessage(messageText(text), back)) !== back) return false
  }
}

function titleOf({ kind, rounds }: UndoPlan): string {
  return kind === 'undo'
    ? vscode.l10n.t('Undo: rounds that would leave the notebook: {0}', rounds.length)
    : vscode.l10n.t('Redo: rounds that would come back: {0}', rounds.length)
}

function yesItem(plan: UndoPlan): PlanItem {
  const { changing, staying } = undoCounts(plan)
  const label = plan.kind === 'undo' ? vscode.l10n.t('Undo') : vscode.l10n.t('Redo')
  const description = [
    vscode.l10n.t('files that would change: {0}', changing),
    ...(staying > 0 ? [vscode.l10n.t('files that would stay as they are: {0}', staying)] : []),
  ].join(', ')
  return { label: `$(discard) ${label}`, description, isYes: true }
}

function itemOf(line: UndoLine): PlanItem {
  switch (line.kind) {
    case 'round':
      return { line, label: `$(comment) ${line.number}`, description: line.prompt }
    case 'change':
      return { line, label: `$(diff) ${line.path}`, description: `${effectOf(line.effect)} ${line.size}` }
    case 'stay':
      return { line, label: `$(lock) ${line.path}`, description: reasonFor(line) }
    case 'unseen':
      return {
        line,
        label: `$(warning) ${vscode.l10n.t('Mutsumi does not know what commands changed: {0}', line.why)}`,
      }
    case 'commands':
      return {
        line,
        label: `$(info) ${vscode.l10n.t('Commands ran too. Files that git ignores, and files elsewhere, stay as they are.')}`,
      }
    case 'tools':
      return {
        line,
        label: `$(warning) ${vscode.l10n.t('Mutsumi does not know what these tools changed: {0}', line.names)}`,
      }
    default:
      return line satisfies never
  }
}

/** False if there is nothing to show. */
async function showLine(
  line: UndoLine,
  { plan: { kind }, root }: { readonly plan: UndoPlan; readonly root: string },
): Promise<boolean> {
  if ((line.kind !== 'change' && line.kind !== 'stay') || line.diff === '') return false
  const title =
    kind === 'undo'
      ? vscode.l10n.t('{0}: as it is, and after undo', line.path)
      : vscode.l10n.t('{0}: as it is, and after redo', line.path)
  await showPatch({ path: filePath(line.path, root), diff: line.diff }, title)
  return true
}

function effectOf(effect: 'create' | 'change' | 'delete'): string {
  switch (effect) {
    case 'create':
      return vscode.l10n.t('create')
    case 'change':
      return vscode.l10n.t('change')
    case 'delete':
      return vscode.l10n.t('delete')
    default:
      return effect satisfies never
  }
}

interface Left {
  readonly outcome: FileOutcome
  readonly reason?: string
  readonly missing?: true
}

function reasonFor({ outcome, reason, missing }: Left): string {
  if (missing) return vscode.l10n.t('its earlier content is not on this machine')
  return reason ?? reasonOf(outcome)
}

function reasonOf(outcome: FileOutcome): string {
  switch (outcome) {
    case 'edited':
      return vscode.l10n.t('edited since by somebody else')
    case 'lost':
      return vscode.l10n.t('its earlier content was not saved')
    case 'refused':
      return vscode.l10n.t('may not be written')
    case 'restore':
    case 'restore-edited':
      return vscode.l10n.t('could not be written')
    default:
      return outcome satisfies never
  }
}

/** Text that the user is typing is more important than an undo. */
function refuseUnsavedFiles({ files }: UndoPlan, root: string): void {
  const unsaved = new Set(
    vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.fsPath),
  )
  const found = files.find(({ path }) => unsaved.has(vscode.Uri.file(filePath(path, root)).fsPath))
  if (found)
    throw new Error(vscode.l10n.t('Save {0} first: it has changes that are not on disk.', found.path))
}

function outcomeText({ kind, rounds, files }: UndoOutcome): string {
  const done = files.filter((file) => file.done).length
  const failed = files.filter((file) => !file.done)
  const text =
    kind === 'undo'
      ? vscode.l10n.t('Undone. Rounds: {0}, changed files: {1}.', rounds.length, done)
      : vscode.l10n.t('Redone. Rounds: {0}, changed files: {1}.', rounds.length, done)
  const left = failed.map((file) => `${file.path}: ${reasonFor(file)}`)
  return [text, ...left].join(' ')
}
