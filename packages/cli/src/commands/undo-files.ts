import { createInterface } from 'node:readline/promises'
import { isatty } from 'node:tty'
import type { NothingToUndo, UndoPlan } from '@mutsumi/agent'
import {
  carryOut,
  changedSince,
  openUndoPlace,
  planRedo,
  planUndo,
  type UndoPlace,
} from '@mutsumi/agent/parts'
import { shellPath } from '@mutsumi/host'
import { safeJson, type Warning } from '@mutsumi/schema'
import { openSession } from '@mutsumi/session/node'
import { PermissionGate, Workspace } from '@mutsumi/tools'
import { openPermissionStore } from '@mutsumi/tools/parts'
import { drawChanges, drawUndone, drawUndoPlan } from '../drawing/draw-undo.js'
import type { WorkspaceFlags } from '../flags/options.js'
import { placeOf } from '../place/place.js'
import { findSession, newestSession } from '../sessions/find-session.js'
import { finishUndos } from '../sessions/finish-undos.js'
import { openedOrFailure } from '../sessions/open-stored.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { printWarnings } from '../terminal/warnings.js'
import { say, sayWord } from '../words/say.js'

export interface UndoFilesFlags extends WorkspaceFlags {
  readonly session?: string
  readonly rounds?: number
  readonly addDir?: readonly string[]
  readonly preview?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

/** `mutsumi undo`: the newest rounds leave the view, and the files that they changed are restored. Asks first. */
export async function runUndo(flags: UndoFilesFlags): Promise<void> {
  await onPlace(flags, async (place) =>
    follow(place, await planUndo(place, { rounds: flags.rounds ?? 1 }), flags),
  )
}

/** `mutsumi redo`: reverts the newest undo. Asks first. */
export async function runRedo(flags: UndoFilesFlags): Promise<void> {
  await onPlace(flags, async (place) => follow(place, await planRedo(place), flags))
}

export interface DiffFlags extends WorkspaceFlags {
  readonly session?: string
  readonly round?: number
  readonly addDir?: readonly string[]
  readonly json?: boolean
}

/** `mutsumi diff`: shows the agent's changes in the rounds of a session. */
export async function runDiff(flags: DiffFlags): Promise<void> {
  await onPlace({ ...flags, preview: true }, async (place) => {
    const { round = 1 } = flags
    const files = await changedSince(place, { round, length: longestDiff })
    if (flags.json) return printLine(safeJson({ round, files }))
    if (files.length === 0) return printLine(say`No file differs from its state before the agent changed it.`)
    printLine(drawChanges(files))
  })
}

/** The limit for one file. */
const longestDiff = 200_000

async function onPlace(
  { session: name, C, addDir = [], preview = false }: UndoFilesFlags,
  act: (place: UndoPlace) => Promise<void>,
): Promise<void> {
  const { root, folders = [] } = await placeOf({ C, addDir })
  const path = name === undefined ? await newestSession(root) : await findSession(name, root)
  const session = openedOrFailure(await openSession(path, { readOnly: preview }), path)
  try {
    printWarnings([...session.notes, ...(await finishUndos(session, root))])
    const workspace = new Workspace({ root, roots: folders })
    await act(openUndoPlace({ session, workspace, folders, gate: await gateOf(root, folders) }))
  } finally {
    await session.close()
  }
}

/** The user's stored rules say which contents are not copied. */
async function gateOf(root: string, folders: readonly string[]): Promise<PermissionGate> {
  return new PermissionGate({ root, roots: folders, store: await openPermissionStore() })
}

async function follow(
  place: UndoPlace,
  plan: UndoPlan | NothingToUndo,
  { json = false, preview = false, yes = false }: UndoFilesFlags,
): Promise<void> {
  if (plan.kind === 'nothing')
    throw new Failure(
      say`nothing to do in the session ${shellPath(place.session.path)}: ${sayWord(nothing[plan.why])}`,
    )
  if (!json) printLine(drawUndoPlan(plan))
  if (preview) return json ? printLine(safeJson(told(plan, { preview }))) : undefined
  if (!yes && !(await isConfirmed(plan.kind)))
    throw new Failure(say`nothing was changed; --yes does it without asking, --preview only shows it`)
  const outcome = await carryOut(place, plan)
  if (outcome.unkept !== undefined) printWarnings([unkeptWarning(outcome.unkept)])
  if (json) return printLine(safeJson(told(outcome, { preview })))
  printLine(`\n${drawUndone(outcome)}`)
}

function unkeptWarning(reason: string): Warning {
  return {
    code: 'undo-not-kept',
    source: 'undo',
    message: say`this cannot be reverted completely: ${reason}`,
  }
}

const nothing: Readonly<Record<NothingToUndo['why'], string>> = {
  'no-rounds': 'it has no rounds',
  'no-undo': 'nothing was undone',
  'asked-since': 'there was a new prompt since the last undo, so there is nothing to redo',
}

/** Only a person at a terminal can be asked. */
async function isConfirmed(kind: UndoPlan['kind']): Promise<boolean> {
  if (!isatty(0) || !isatty(1)) return false
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = await lines.question(`\n${kind === 'undo' ? say`Undo this?` : say`Redo this?`} [y/N] `)
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}

/** For programs: without the bytes. */
function told(
  { kind, rounds, files }: Pick<UndoPlan, 'kind' | 'rounds' | 'files'>,
  others: { readonly preview: boolean },
) {
  const shown = files.map(({ restoration: _, ...file }) => file)
  return { kind, ...others, rounds: rounds.map(({ number, prompt }) => ({ number, prompt })), files: shown }
}
