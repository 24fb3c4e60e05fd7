import { planIn, RoundInterrupted } from '@mutsumi/agent'
import type { ShownResult } from '@mutsumi/host'
import type { TokenUsage } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { ModelUnavailable } from '../agent/model-unavailable.js'
import { withActivity, withDraft } from '../notebook/round-activity.js'
import {
  hear,
  newRound,
  type RoundOutput,
  withoutQuestion,
  withQuestion,
  withResult,
} from '../notebook/round-output.js'
import { isSuccess } from '../notebook/round-times.js'
import { recordedRounds, withUnsent } from '../notebook/shown-rounds.js'
import { ToldWarnings } from '../notebook/told-warnings.js'
import { isWaiting } from '../notebook/waiting.js'
import type { Agents } from './agents.js'
import type { Follower } from './follower.js'
import { type LiveRounds, orderOf, type ShownRound } from './live-rounds.js'
import { tellEnd } from './long-rounds.js'
import { markOf, type NotebookFiles, notebookType, now, promptLanguage } from './notebook-files.js'
import type { NotebookModes } from './notebook-modes.js'
import { outputOf } from './output.js'
import { Painter } from './painter.js'
import type { PermissionQuestions } from './permission-questions.js'
import { isLocal, notLocal } from './places.js'
import { AcceptedPlans } from './plan-question.js'
import { pricesNow } from './prices.js'
import { missingText, type TrustQuestions } from './trust-questions.js'

export interface ControllerParts {
  readonly modes: NotebookModes
  readonly files: NotebookFiles
  readonly agents: Agents
  readonly questions: PermissionQuestions
  readonly trust: TrustQuestions
  readonly live: LiveRounds
  readonly follower: Follower
  /** Called with the activity of a notebook's round; `ended` means that it is over. */
  readonly state: (notebook: vscode.NotebookDocument, state: 'running' | 'waiting' | 'ended') => void
}

/** Runs cells: each is one round. Cells of one notebook run one after the other. */
export class RoundController implements vscode.Disposable {
  readonly #controller: vscode.NotebookController
  readonly #parts: ControllerParts
  readonly #stops = new Map<string, (why?: Error) => void>()
  /** Until their last record is written. */
  readonly #rounds = new Set<Promise<void>>()
  /** Cells of a file that wait for their turn. */
  readonly #waiting = new Map<string, Set<vscode.NotebookCellExecution>>()
  readonly #queues = new WeakMap<vscode.NotebookDocument, Promise<void>>()
  /** Cells that run or wait for their turn. */
  readonly #busy = new Set<vscode.NotebookCell>()
  readonly #plans = new AcceptedPlans()
  readonly #told = new WeakMap<vscode.NotebookDocument, ToldWarnings>()
  /** The steps that answers propose in plan mode. */
  readonly #proposed = new WeakMap<vscode.NotebookCell, readonly string[] | undefined>()

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#controller = vscode.notebooks.createNotebookController('mutsumi', notebookType, 'Mutsumi')
    this.#controller.description = vscode.l10n.t('Select Model chooses who answers')
    this.#controller.supportedLanguages = [promptLanguage]
    this.#controller.supportsExecutionOrder = true
    this.#controller.executeHandler = (cells, notebook) => this.#enqueue(cells, notebook)
  }

  prefer(notebook: vscode.NotebookDocument): void {
    this.#controller.updateNotebookAffinity(notebook, vscode.NotebookControllerAffinity.Preferred)
  }

  /** Stops the round that runs in a file. Cells that wait for it do not run. */
  stop(path: string): void {
    this.#waiting.delete(path)
    this.#stops.get(path)?.()
  }

  /** The extension ends: so do its rounds, and their records say that they were interrupted. */
  async end(): Promise<void> {
    this.#waiting.clear()
    for (const stop of this.#stops.values()) stop(new RoundInterrupted())
    await Promise.allSettled(this.#rounds)
  }

  dispose(): void {
    this.#controller.dispose()
  }

  /** Whether a cell runs or waits for its turn, so that its output changes by itself. */
  isBusy(cell: vscode.NotebookCell): boolean {
    return this.#busy.has(cell)
  }

  /** Shows a recorded round, or none. Only a running cell can get other outputs. */
  async draw(
    cell: vscode.NotebookCell,
    {
      round,
      summary,
    }: { readonly round: RoundOutput | undefined; readonly summary: ShownRound['summary'] | undefined },
  ): Promise<void> {
    this.#busy.add(cell)
    try {
      const execution = this.#controller.createNotebookCellExecution(cell)
      execution.executionOrder = summary?.executionOrder
      execution.start()
      await execution.replaceOutput(round ? [outputOf(round)] : [])
      execution.end(summary?.success)
    } catch {
      // Another extension's kernel is chosen, or the notebook was closed meanwhile.
    } finally {
      this.#busy.delete(cell)
    }
  }

  #enqueue(cells: readonly vscode.NotebookCell[], notebook: vscode.NotebookDocument): Promise<void> {
    const executions = cells
      .filter((cell) => cell.document.getText().trim() !== '')
      .map((cell) => ({ cell, execution: this.#controller.createNotebookCellExecution(cell) }))
    // A cell that could not begin does not hold up the next ones.
    const before = this.#queues.get(notebook)?.catch(() => undefined) ?? Promise.resolve()
    const path = notebook.uri.fsPath
    const waiting = this.#waiting.get(path) ?? new Set()
    this.#waiting.set(path, waiting)
    for (const { cell, execution } of executions) {
      waiting.add(execution)
      this.#busy.add(cell)
    }
    const after = before.then(async () => {
      for (const { cell, execution } of executions)
        await this.#run(cell, execution).finally(() => this.#busy.delete(cell))
    })
    this.#queues.set(notebook, after)
    return after
  }

  async #run(cell: vscode.NotebookCell, execution: vscode.NotebookCellExecution): Promise<void> {
    const isWaiting = this.#waiting.get(cell.notebook.uri.fsPath)?.delete(execution) === true
    if (!isWaiting || execution.token.isCancellationRequested) {
      execution.start()
      return execution.end(undefined)
    }
    const { notebook } = cell
    // Without a start time. The editor would adjust it, and later replace the cell with the cursor in it. The round itself
    // shows when it ran.
    execution.start()
    this.#parts.state(notebook, 'running')
    const painter = new Painter(execution, {
      ...newRound(this.#parts.files.idOf(cell)),
      startedAt: now(),
    })
    let end: RoundOutput['state'] = 'failed'
    const release = this.#parts.agents.hold()
    const following = this.#parts.follower.during(cell)
    try {
      const round = this.#round(cell, execution, painter)
      this.#rounds.add(round)
      await round.finally(() => this.#rounds.delete(round))
      end = painter.round.state
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const fault = error instanceof ModelUnavailable ? { fault: error.fault } : {}
      painter.show(hear(painter.round, { type: 'round-end', status: 'failed', message, ...fault }))
    } finally {
      release()
    }
    const success = end === 'cancelled' ? undefined : isSuccess({ ...painter.round, state: end })
    const { live } = this.#parts
    if (painter.order === undefined) await this.#showUnsent(cell, painter)
    else {
      painter.show({ ...painter.round, endedAt: now() })
      await painter.finish()
      const summary = { ...orderOf(painter), ...(success !== undefined && { success }) }
      live.end(painter.round.cell, { round: painter.round, summary })
    }
    await shownReading(notebook, live.takeReading(painter.round.cell))
    execution.end(success)
    following.dispose()
    await addNext(cell)
    this.#stops.delete(notebook.uri.fsPath)
    this.#parts.state(notebook, 'ended')
    void this.#offerPlan(cell)
    const isWanted = (session?: string) => this.#parts.agents.wantsMessages(session)
    void tellEnd(notebook, painter.round, { isWanted, show: () => showEnd(cell) })
  }

  async #round(
    cell: vscode.NotebookCell,
    execution: vscode.NotebookCellExecution,
    painter: Painter,
  ): Promise<void> {
    const { files, agents, questions, live } = this.#parts
    const { notebook } = cell
    refuseUnsaved(notebook)
    const stop = new AbortController()
    const { signal } = stop
    execution.token.onCancellationRequested(() => stop.abort())
    this.#stops.set(notebook.uri.fsPath, (why) => stop.abort(why))
    await this.#decideTrust(notebook, painter, signal)
    if (signal.aborted || execution.token.isCancellationRequested)
      return painter.show(hear(painter.round, { type: 'round-end', status: 'cancelled', message: '' }))
    const parts = await agents.forRound(notebook)
    if (notebook.isDirty && !(await isSaved(notebook)))
      throw new Error(vscode.l10n.t('The notebook could not be saved, so nothing was sent.'))
    const shown = questions.during(notebook, (asked) => {
      painter.show(
        'answered' in asked
          ? withoutQuestion(painter.round, asked.answered)
          : withQuestion(painter.round, asked),
      )
      this.#parts.state(notebook, isWaiting(painter.round) ? 'waiting' : 'running')
    })
    const stopRound = (why?: Error) => {
      stop.abort(why)
      shown.refuse()
    }
    execution.token.onCancellationRequested(() => stopRound())
    this.#stops.set(notebook.uri.fsPath, stopRound)
    if (signal.aborted || execution.token.isCancellationRequested) stopRound()
    try {
      const { runCell } = await import('../agent/run-cell.js')
      const run = {
        path: notebook.uri.fsPath,
        cell: files.idOf(cell),
        prompt: cell.document.getText(),
        plan: this.#plans.of(cell),
        signal,
      }
      const began = (fresh: string, order: number) => {
        files.setId(cell, fresh)
        painter.order = order
        execution.executionOrder = order
        painter.show({ ...painter.round, cell: fresh })
        live.begin(fresh, painter)
      }
      const ended = (call: string, result: ShownResult) =>
        painter.show(withResult(painter.round, call, result))
      const heard = (draft: string) => painter.show(withDraft(painter.round, draft, now()))
      const { now: prices } = pricesNow()
      const priceOf = (usage: TokenUsage) => prices(usage, { model: parts.model.name, at: now() })
      const isShown = this.#toldIn(notebook).round()
      for await (const event of runCell(parts, { ...run, began, heard, ended })) {
        if (isShown(event)) painter.show(withActivity(hear(painter.round, event, priceOf), event, now()))
        if (event.type === 'round-end' && event.status === 'done' && parts.toolbox.gate.mode === 'plan')
          this.#proposed.set(cell, planIn(event.answer ?? ''))
      }
      if (parts.model.name === 'offline') painter.show({ ...painter.round, remedies: ['model'] })
    } finally {
      shown.dispose()
    }
  }

  #toldIn(notebook: vscode.NotebookDocument): ToldWarnings {
    const told = this.#told.get(notebook) ?? new ToldWarnings()
    this.#told.set(notebook, told)
    return told
  }

  async #offerPlan(cell: vscode.NotebookCell): Promise<void> {
    const steps = this.#proposed.get(cell)
    this.#proposed.delete(cell)
    const { modes } = this.#parts
    if (steps) await this.#plans.offer(cell, steps, async (mode) => modes.choose(cell.notebook.uri, mode))
  }

  /** The run ended before it sent anything, so the recorded round is shown again, and why. */
  async #showUnsent(cell: vscode.NotebookCell, painter: Painter): Promise<void> {
    const { files, live } = this.#parts
    const { state, message = '', cell: id, remedies, fault } = painter.round
    const ended = state === 'cancelled' ? state : 'failed'
    const unsent = { state: ended, message, ...(remedies && { remedies }), ...(fault && { fault }) } as const
    live.fail(id, unsent)
    const file = await files.recordedNow(cell.notebook).catch(() => undefined)
    const found = file?.session.cells.find(({ metadata }) => metadata?.id === id)
    const recorded = file && found && recordedRounds(file, pricesNow().recorded)(found)
    painter.show(withUnsent(id, live.ended(id)?.round ?? recorded?.round, unsent) ?? painter.round)
    await painter.finish()
  }

  /** Waits for the person's answer about the folder, and says in the round what takes no effect. */
  async #decideTrust(
    notebook: vscode.NotebookDocument,
    painter: Painter,
    signal: AbortSignal,
  ): Promise<void> {
    const { trust, state } = this.#parts
    const before = painter.round
    if (await trust.isOpen(notebook.uri)) {
      const text = vscode.l10n.t('Waits for your answer: may what this folder brings take effect?')
      painter.show({ ...before, parts: [noteOf(text)] })
      state(notebook, 'waiting')
      await Promise.race([trust.ask(notebook.uri, 'round'), stopped(signal)])
      state(notebook, 'running')
    }
    const missing = await trust.missing(notebook.uri)
    painter.show(missing.length > 0 ? { ...before, parts: [noteOf(missingText(missing))] } : before)
  }
}

/** The next prompt, if the notebook has unsaved edits. Otherwise the reading of the file has brought it. */
async function addNext({ notebook, index }: vscode.NotebookCell): Promise<void> {
  if (!notebook.isDirty || notebook.isClosed || index !== notebook.cellCount - 1) return
  const next = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, '', promptLanguage)
  const edit = new vscode.WorkspaceEdit()
  edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(notebook.cellCount, [next])])
  await vscode.workspace.applyEdit(edit)
}

async function showEnd(cell: vscode.NotebookCell): Promise<void> {
  const range = new vscode.NotebookRange(cell.index, cell.index + 1)
  const editor = await vscode.window.showNotebookDocument(cell.notebook, { selections: [range] })
  editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport)
}

function noteOf(text: string): RoundOutput['parts'][number] {
  return { kind: 'note', level: 'info', text }
}

/** Resolves when a signal says stop. */
function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** The editor also answers "not saved" if somebody typed while it saved. The file has the text from before. */
async function isSaved(notebook: vscode.NotebookDocument): Promise<boolean> {
  const saving = nextSave(notebook)
  try {
    return (await notebook.save()) || !notebook.isDirty || (await saving.isOver)
  } finally {
    saving.dispose()
  }
}

/** False if no save of the notebook has ended after a while. */
function nextSave(
  notebook: vscode.NotebookDocument,
): vscode.Disposable & { readonly isOver: Promise<boolean> } {
  let end: (isSaved: boolean) => void = () => undefined
  const isOver = new Promise<boolean>((resolve) => {
    end = resolve
  })
  const timer = setTimeout(() => end(false), longestSaveMs)
  const watch = vscode.workspace.onDidSaveNotebookDocument((saved) => saved === notebook && end(true))
  const dispose = () => {
    clearTimeout(timer)
    watch.dispose()
  }
  return { isOver, dispose }
}

const longestSaveMs = 5_000
const longestWaitMs = 1_000

/**
 * Waits until the editor shows a reading of the file. A reading that has the round as running, and is shown after its end,
 * would replace the cell, and with it the cursor.
 */
function shownReading(notebook: vscode.NotebookDocument, reading: string | undefined): Promise<void> {
  const isShown = () => reading === undefined || markOf(notebook.metadata)?.token === reading
  if (isShown()) return Promise.resolve()
  return new Promise((resolve) => {
    const watch = vscode.workspace.onDidChangeNotebookDocument(() => isShown() && done())
    const timer = setTimeout(() => done(), longestWaitMs)
    const done = () => {
      clearTimeout(timer)
      watch.dispose()
      resolve()
    }
  })
}

function refuseUnsaved({ uri, isUntitled, metadata }: vscode.NotebookDocument): void {
  if (isUntitled) throw new Error(vscode.l10n.t('Save the notebook as a file first: a session is a file.'))
  if (!isLocal(uri)) throw notLocal(uri)
  const problems = markOf(metadata)?.problems ?? []
  if (problems.length > 0)
    throw new Error(vscode.l10n.t('This session is open for reading only: {0}', problems[0] ?? ''))
}
