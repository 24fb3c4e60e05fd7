import type { PreviewedRound } from '@mutsumi/agent'
import type { ItemAct, ModelRequest, SavedItem } from '@mutsumi/schema'
import { askedPrompt } from './asked-prompt.js'
import { freshCell } from './fresh-cell.js'
import { type EditedNotebook, KeptPreviews } from './kept-previews.js'
import type { AgentParts } from './run-cell.js'
import { wholePrompt } from './whole-prompt.js'

export interface PreviewedCell extends PreviewedRound {
  readonly model: string
  /** Why this model cannot be asked. */
  readonly fault?: Error
  /** The macros after the prompt. */
  readonly macros: Readonly<Record<string, string>>
  /** The items that the session would record. */
  readonly contextItems: readonly SavedItem[]
}

export interface CellPreview {
  readonly notebook: EditedNotebook
  /** The cell that would run. By default, a new one after all others. */
  readonly cell?: string | undefined
  readonly prompt: string
  /** Acts of the user to try out. */
  readonly acts?: readonly ItemAct[]
}

/** The first request of a cell's round, built on a copy of the session in memory. Nothing is sent. */
export function previewCell(
  parts: AgentParts,
  { notebook, cell, prompt, acts = [] }: CellPreview,
  kept = new KeptPreviews(),
): Promise<PreviewedCell> {
  return kept.during(parts, notebook, async ({ session, open }) => {
    for (const act of acts) await session.add({ type: 'act', act })
    const whole = cell === undefined ? prompt : wholePrompt(session, cell, prompt)
    const asked = await askedPrompt(parts, session, whole)
    const id = cell === undefined ? undefined : await freshCell(session, cell, asked)
    const index = session.session.cells.findIndex(({ metadata }) => metadata?.id === id)
    const agent = await open()
    const place = id === undefined || index === -1 ? {} : { cell: index, isNext: true }
    const request = await agent.request(asked.prompt, place)
    const { macroContext: macros = {}, contextItems = [] } = session.session.metadata
    const warnings = [...asked.warnings, ...request.warnings]
    const { model, fault } = parts
    return { model: model.name, ...(fault && { fault }), ...request, warnings, macros, contextItems }
  })
}

/** A previewed request in the form that a model takes. */
export function requestOf({ messages, sent }: PreviewedCell): ModelRequest {
  return { messages, ...sent }
}
