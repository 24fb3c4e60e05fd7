import type { FileChange, FileVersion, UndoRecord } from '@mutsumi/schema'
import type { NewRecord, SessionFile } from '@mutsumi/session/node'
import {
  diffFiles,
  type FileDiff,
  type FileNow,
  type FileRestorer,
  isReadOnlyLine,
} from '@mutsumi/tools/parts'
import { bytesOf, storedVersion } from './file-versions.js'
import { type FilePlan, planBack } from './plan-file.js'
import {
  changesOf,
  newestRounds,
  type RoundName,
  reversed,
  type UnknownEffects,
  undoToTakeBack,
  unknownEffects,
} from './plan-undo.js'

/** The place for undoing rounds: a session open for writing, and the files that it may change. */
export interface UndoPlace {
  readonly session: SessionFile
  readonly files: Pick<FileRestorer, 'look' | 'restore' | 'refusal'>
}

/** The plan of an undo or a redo. Nothing is changed before `carryOut`. */
export interface UndoPlan {
  readonly kind: 'undo' | 'redo'
  /** The rounds that leave the view, or come back to it; the oldest first. */
  readonly rounds: readonly RoundName[]
  /** Effects of the rounds that are not known. */
  readonly unknown: UnknownEffects
  /** Only the files that need a mention. */
  readonly files: readonly PlannedFile[]
  /** The undo that a redo reverts. */
  readonly undo?: UndoRecord
}

/** The plan for one file. `diff` is the change from its current content. */
export interface PlannedFile extends FileDiff {
  readonly path: string
  readonly outcome: FileOutcome
  /** Whether the file is created, changed or deleted. */
  readonly effect: 'create' | 'change' | 'delete'
  /** Why it is not changed, if `outcome` does not explain it. */
  readonly reason?: string
  /** Data for `carryOut`. */
  readonly restoration?: Prepared
}

/**
 * `restore`: it is restored. `restore-edited`: it is restored to a person's version between two changes. `edited`: a
 * person edited it since, so it stays. `lost`: its earlier content was not saved. `refused`: undo may not write there.
 */
export type FileOutcome = 'restore' | 'restore-edited' | 'edited' | 'lost' | 'refused'

interface Prepared {
  readonly now: Exclude<FileNow, { kind: 'refused' }>
  readonly bytes: Buffer | undefined
  readonly to: FileVersion | null
  readonly made?: string
}

export type NothingToUndo = {
  readonly kind: 'nothing'
  readonly why: 'no-rounds' | 'no-undo' | 'asked-since'
}

/** Plans what undoing the newest rounds would do. */
export async function planUndo(
  place: UndoPlace,
  { rounds: count = 1 }: { readonly rounds?: number } = {},
): Promise<UndoPlan | NothingToUndo> {
  const { session, facts } = place.session
  const rounds = newestRounds(session.cells, count)
  if (rounds.length === 0) return { kind: 'nothing', why: 'no-rounds' }
  const ids = new Set(rounds.flatMap(({ cells }) => cells))
  const cells = session.cells.filter(({ metadata }) => ids.has(metadata?.id ?? ''))
  const unknown = unknownEffects(facts, cells, { isReadOnly: isReadOnlyLine })
  return { kind: 'undo', rounds, unknown, files: await planned(place, changesOf(facts, rounds)) }
}

/** Plans what reverting the newest undo would do. */
export async function planRedo(place: UndoPlace): Promise<UndoPlan | NothingToUndo> {
  const { session, facts, records } = place.session
  const undo = undoToTakeBack(records, { undone: facts.undone, cells: session.cells })
  if (!undo) return { kind: 'nothing', why: facts.undone.length === 0 ? 'no-undo' : 'asked-since' }
  const rounds = undoneRounds(place.session, undo)
  const unknown: UnknownEffects = { commands: 0, tools: new Map() }
  return { kind: 'redo', undo, rounds, unknown, files: await planned(place, reversed(undo.files)) }
}

/** The result of a plan. */
export interface UndoOutcome {
  readonly kind: 'undo' | 'redo'
  readonly rounds: readonly RoundName[]
  readonly files: readonly DoneFile[]
}

export interface DoneFile extends Omit<PlannedFile, 'restoration'> {
  readonly done: boolean
}

/**
 * Carries out a plan as it was shown. A file that was changed since is not touched. The record and the texts that it
 * removes are on disk before the first file is changed.
 */
export async function carryOut(place: UndoPlace, plan: UndoPlan): Promise<UndoOutcome> {
  const { session, files } = place
  const changes = await Promise.all(plan.files.map((file) => changeIn(file, session)))
  await session.add(recordOf(plan, changes.flat()))
  const done = plan.files.map(({ restoration, ...file }): DoneFile => {
    if (!restoration) return { ...file, done: false }
    const { now, bytes, to, made } = restoration
    const wanted = to && bytes ? { bytes, mode: to.mode } : undefined
    const fault = files.restore(file.path, { now, to: wanted, made })
    return fault ? { ...file, done: false, reason: fault.message } : { ...file, done: true }
  })
  return { kind: plan.kind, rounds: plan.rounds, files: done }
}

function recordOf({ kind, rounds, undo }: UndoPlan, files: readonly FileChange[]): NewRecord {
  return kind === 'redo' && undo
    ? { type: 'redo', undo: undo.id, files }
    : { type: 'undo', cells: rounds.flatMap(({ cells }) => cells), files }
}

/** The current content is saved, so that a redo can restore it. */
async function changeIn(
  { path, restoration }: PlannedFile,
  session: SessionFile,
): Promise<readonly FileChange[]> {
  if (!restoration) return []
  const { now, to, made } = restoration
  const stored = now.kind === 'loaded' ? storedVersion(now) : undefined
  if (stored?.snapshot) await session.recordSnapshot(stored.snapshot.content, stored.snapshot.hash)
  return [{ path, before: stored?.version ?? null, after: to, ...(made !== undefined && { made }) }]
}

async function planned(
  place: UndoPlace,
  changes: ReadonlyMap<string, readonly FileChange[]>,
): Promise<readonly PlannedFile[]> {
  const files = await Promise.all([...changes].map(([path, each]) => planOne(place, path, each)))
  return files.flat().toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

async function planOne(
  { session, files }: UndoPlace,
  path: string,
  changes: readonly FileChange[],
): Promise<readonly PlannedFile[]> {
  const now = files.look(path)
  if (now.kind === 'refused')
    return [{ path, ...noDiff, outcome: 'refused', effect: 'change', reason: now.reason }]
  const plan = planBack(changes, now.kind === 'loaded' ? now : null)
  if (plan.kind === 'same') return []
  const to = plan.kind === 'restore' ? plan.to : plan.wanted
  const bytes = to === null ? undefined : bytesOf(session, to)
  const effect = to === null ? 'delete' : now.kind === 'absent' ? 'create' : 'change'
  if (to !== null && bytes === undefined)
    return [{ path, ...noDiff, outcome: plan.kind === 'edited' ? 'edited' : 'lost', effect }]
  const current = now.kind === 'loaded' ? now.bytes : undefined
  const diff = await diffFiles(path, { before: current, after: bytes })
  const outcome = outcomeOf(plan)
  if (outcome === 'edited') return [{ path, ...diff, outcome, effect }]
  const made = changes.find((change) => change.made !== undefined)?.made
  return [
    {
      ...{ path, ...diff, outcome, effect },
      restoration: { now, bytes, to, ...(made !== undefined && { made }) },
    },
  ]
}

const noDiff: FileDiff = { added: 0, removed: 0, diff: '' }

function outcomeOf(plan: Exclude<FilePlan, { kind: 'same' }>): 'restore' | 'restore-edited' | 'edited' {
  if (plan.kind === 'edited') return 'edited'
  return plan.kept ? 'restore-edited' : 'restore'
}

/** Undone rounds are not in the session, but their prompts are in the records. */
function undoneRounds({ records, session }: SessionFile, { cells }: UndoRecord): readonly RoundName[] {
  const first = newestRounds(session.cells, 1)[0]?.number ?? 0
  const asked = records.filter((record) => record.type === 'cell')
  const undone = asked.filter(({ id, role }) => cells.includes(id) && role === 'user')
  return undone.map(({ id, content }, index) => ({
    number: first + 1 + index,
    prompt: content,
    cells: [id],
  }))
}
