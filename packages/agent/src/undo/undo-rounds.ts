import type { FileChange, FileVersion, UndoRecord } from '@mutsumi/schema'
import type { NewRecord, SessionFile } from '@mutsumi/session/node'
import {
  diffFiles,
  type FileDiff,
  type FileNow,
  type FileRestorer,
  isReadOnlyLine,
} from '@mutsumi/tools/parts'
import type { FileCopies, MayKeep } from './file-copies.js'
import { bytesOf, notHere } from './file-versions.js'
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
  readonly files: Pick<FileRestorer, 'look' | 'restore' | 'refusal' | 'tidy'>
  /** The folders that the user opened, the workspace first. */
  readonly opened: readonly string[]
  readonly copies: FileCopies
  readonly mayKeep: MayKeep
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
  /** Its earlier content was saved on another machine, or removed since. */
  readonly missing?: true
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
  /** Why a redo cannot bring back all that was taken away. */
  readonly unkept?: string
}

export interface DoneFile extends Omit<PlannedFile, 'restoration'> {
  readonly done: boolean
}

/**
 * Carries out a plan as it was shown. A file that was changed since is not touched. The record and the contents that it
 * removes are on disk before the first file is changed, and so is a note, until the last file is as planned: if the
 * process is killed in between, `finishUndos` goes on.
 */
export async function carryOut(place: UndoPlace, plan: UndoPlan): Promise<UndoOutcome> {
  const { session, copies, opened } = place
  const changes = await changesIn(place, plan.files)
  const record = session.name(recordOf(plan, changes))
  await copies.begin(
    record.id,
    JSON.stringify({ record: record.id, kind: plan.kind, opened, files: changes }),
  )
  // If this fails, nobody knows whether the record is in the file. So the note stays, and the next opening looks.
  await session.append(record)
  const done = plan.files.map((file) => restored(place, file))
  copies.end(record.id)
  const unkept = copies.problem
  return { kind: plan.kind, rounds: plan.rounds, files: done, ...(unkept !== undefined && { unkept }) }
}

/** The file, and whether it is restored now. */
export function restored(
  { files }: Pick<UndoPlace, 'files'>,
  { restoration, ...file }: PlannedFile,
): DoneFile {
  if (!restoration) return { ...file, done: false }
  const { now, bytes, to, made } = restoration
  const wanted = to && bytes ? { bytes, mode: to.mode } : undefined
  const fault = files.restore(file.path, { now, to: wanted, made })
  return fault ? { ...file, done: false, reason: fault.message } : { ...file, done: true }
}

function recordOf({ kind, rounds, undo }: UndoPlan, files: readonly FileChange[]): NewRecord {
  return kind === 'redo' && undo
    ? { type: 'redo', undo: undo.id, files }
    : { type: 'undo', cells: rounds.flatMap(({ cells }) => cells), files }
}

/** The current contents are kept, so that a redo can restore them. */
async function changesIn(
  { copies, mayKeep }: UndoPlace,
  planned: readonly PlannedFile[],
): Promise<readonly FileChange[]> {
  const contents = new Map<string, Uint8Array>()
  const secret = new Set<string>()
  for (const { path, restoration } of planned) {
    if (restoration?.now.kind !== 'loaded') continue
    if (await mayKeep(path)) contents.set(restoration.now.hash, restoration.now.bytes)
    else secret.add(path)
  }
  await copies.keep(contents)
  return planned.flatMap(({ path, restoration }) => {
    if (!restoration) return []
    const { now, to, made } = restoration
    const isKept = now.kind === 'loaded' && !secret.has(path) && copies.has(now.hash)
    const before = now.kind === 'loaded' ? versionOf(now, isKept) : null
    return [{ path, before, after: to, ...(made !== undefined && { made }) }]
  })
}

function versionOf({ hash, mode, size }: Loaded, isKept: boolean): FileVersion {
  return isKept ? { hash, mode, size } : { hash, mode, lost: size }
}

type Loaded = Extract<FileNow, { kind: 'loaded' }>

/** The plan to restore files after these changes, by path. */
export async function planned(
  place: UndoPlace,
  changes: ReadonlyMap<string, readonly FileChange[]>,
): Promise<readonly PlannedFile[]> {
  const files = await Promise.all([...changes].map(([path, each]) => planOne(place, path, each)))
  return files.flat().toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

async function planOne(
  place: UndoPlace,
  path: string,
  changes: readonly FileChange[],
): Promise<readonly PlannedFile[]> {
  const now = place.files.look(path)
  if (now.kind === 'refused')
    return [{ path, ...noDiff, outcome: 'refused', effect: 'change', reason: now.reason }]
  const plan = planBack(changes, now.kind === 'loaded' ? now : null)
  if (plan.kind === 'same') return []
  const to = plan.kind === 'restore' ? plan.to : plan.wanted
  const bytes = to === null ? undefined : bytesOf(place, to)
  const effect = to === null ? 'delete' : now.kind === 'absent' ? 'create' : 'change'
  if (to !== null && bytes === undefined)
    return [{ path, ...noDiff, effect, ...(plan.kind === 'edited' ? { outcome: 'edited' } : lostAs(to)) }]
  const current = now.kind === 'loaded' ? now.bytes : undefined
  // The user agrees to it, so they can read all of it.
  const diff = await diffFiles(path, { before: current, after: bytes }, { length: Number.POSITIVE_INFINITY })
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

function lostAs({ lost }: FileVersion): Pick<PlannedFile, 'outcome' | 'reason' | 'missing'> {
  return lost === undefined ? { outcome: 'lost', reason: notHere, missing: true } : { outcome: 'lost' }
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
