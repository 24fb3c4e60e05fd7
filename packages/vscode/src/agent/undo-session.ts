import type { NothingToUndo, UndoOutcome, UndoPlan } from '@mutsumi/agent'
import { carryOut, openUndoPlace, planRedo, planUndo } from '@mutsumi/agent/parts'
import type { SessionCell } from '@mutsumi/schema'
import { openSession, type SessionFile } from '@mutsumi/session/node'
import { roundCells } from '@mutsumi/session/parts'
import { editSession } from './edit-session.js'

export { finishBegunIn } from './finish-begun.js'

import type { AgentParts } from './run-cell.js'

/** Which rounds leave: those from a cell on, the newest one, or none because the newest undo is taken back. */
export type UndoWish =
  | { readonly kind: 'undo'; readonly from?: string | undefined }
  | { readonly kind: 'redo' }

/** Plans an undo or a redo of a session and its files. Changes nothing. */
export async function planOfUndo(
  parts: AgentParts,
  path: string,
  wish: UndoWish,
): Promise<UndoPlan | NothingToUndo> {
  const opening = await openSession(path, { readOnly: true })
  if (opening.kind !== 'opened') throw new Error(opening.message)
  const { file } = opening
  try {
    const place = placeOf(parts, file)
    if (wish.kind === 'redo') return await planRedo(place)
    const rounds = roundsFrom(file.session.cells, wish.from)
    if (rounds === 0) return { kind: 'nothing', why: 'no-rounds' }
    return withoutDrafts(await planUndo(place, { rounds }), file.session.cells)
  } finally {
    await file.close()
  }
}

/** Carries out a plan as it was shown; undefined if the session has other rounds by now. */
export function carryOutUndo(
  parts: AgentParts,
  path: string,
  plan: UndoPlan,
): Promise<UndoOutcome | undefined> {
  return editSession(path, async (file) => {
    const place = placeOf(parts, file)
    const cells = plan.rounds.flatMap((round) => round.cells)
    const shown = new Set(file.session.cells.map(({ metadata }) => metadata?.id))
    const isSame =
      plan.kind === 'undo'
        ? cells.every((cell) => shown.has(cell)) && newestAnswered(file.session.cells) === cells.at(-1)
        : (await planRedo(place)).kind === 'redo'
    return isSame ? carryOut(place, plan) : undefined
  })
}

function placeOf({ run, toolbox }: AgentParts, session: SessionFile) {
  const { workspace, gate } = toolbox
  return openUndoPlace({ session, workspace, folders: run.folders ?? [], gate })
}

/** How many rounds there are from a cell to the end; without one, from the newest cell that was answered. */
export function roundsFrom(cells: readonly SessionCell[], from = newestAnswered(cells)): number {
  const rounds = roundCells(cells)
  const at = rounds.findIndex((round) => round.some(({ metadata }) => metadata?.id === from))
  return from === undefined || at === -1 ? 0 : rounds.length - at
}

function newestAnswered(cells: readonly SessionCell[]): string | undefined {
  return cells.findLast(isAnswered)?.metadata?.id
}

function isAnswered({ metadata }: SessionCell): boolean {
  return (metadata?.mutsumi_interaction?.length ?? 0) > 0
}

/** Questions that were never asked stay in the notebook. */
function withoutDrafts(plan: UndoPlan | NothingToUndo, cells: readonly SessionCell[]) {
  if (plan.kind === 'nothing') return plan
  const answered = new Set(cells.filter(isAnswered).map(({ metadata }) => metadata?.id))
  const rounds = plan.rounds.filter((round) => round.cells.some((cell) => answered.has(cell)))
  return rounds.length === 0 ? ({ kind: 'nothing', why: 'no-rounds' } as const) : { ...plan, rounds }
}
