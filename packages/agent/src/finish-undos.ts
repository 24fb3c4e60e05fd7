import { existsSync } from 'node:fs'
import type { FileChange, SessionRecord, Warning } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { Workspace } from '@mutsumi/tools'
import { hasUnfinished } from '@mutsumi/tools/parts'
import { agentWarningWords } from './round/agent-warnings.js'
import { copiesOf } from './undo/file-copies.js'
import { openUndoPlace } from './undo/undo-place.js'
import { type DoneFile, planned, restored, type UndoPlace } from './undo/undo-rounds.js'
import { listed } from './undo/unrestored-notes.js'

/** The note about an undo that was being carried out when its process ended. */
interface BegunUndo {
  readonly record: string
  readonly kind: 'undo' | 'redo'
  /** The folders that the user had opened, the workspace first. */
  readonly opened: readonly string[]
  readonly files: readonly FileChange[]
}

/**
 * Finishes the undos and redos of a session that were interrupted, and says so. A file that somebody changed since stays
 * as it is. Call it when a session was opened. A session that is open for reading only gets a warning.
 */
export async function finishUndos(
  session: SessionFile,
  { root }: { readonly root: string },
): Promise<readonly Warning[]> {
  if (session.isInMemory || !hasUnfinished(session.header.id)) return []
  if (session.readOnly) return [warning('undo-waits')]
  const copies = copiesOf(session, [root])
  const warnings: Warning[] = []
  for (const text of copies.begun()) {
    const begun = readNote(text)
    if (begun === undefined) continue
    warnings.push(...(await finished(session, { begun, root })))
    copies.end(begun.record)
  }
  return warnings
}

async function finished(
  session: SessionFile,
  { begun, root: given }: { readonly begun: BegunUndo; readonly root: string },
): Promise<readonly Warning[]> {
  // The record comes before the first file. Without it, nothing was changed.
  if (!session.records.some(({ id }) => id === begun.record)) return []
  const [old = given, ...others] = begun.opened
  const folders = others.filter((folder) => existsSync(folder))
  // A project may have been moved since.
  const workspace = new Workspace({ root: existsSync(old) ? old : given, roots: folders })
  const place = openUndoPlace({ session, workspace, folders })
  const files = await planned(place, rest(begun.files))
  if (!isNewest(session.records, begun.record)) {
    const paths = files.map(({ path }) => path)
    return paths.length === 0 ? [] : [warning('undo-unfinished', listed(paths, mostNamed))]
  }
  const done = files.map((file) => restored(place, file))
  tidy(place, begun.files)
  return [warning(begun.kind === 'undo' ? 'undo-finished' : 'redo-finished', described(begun.files, done))]
}

/** The way from the files as they were before the undo to those as it leaves them, as a change to take back. */
function rest(files: readonly FileChange[]): ReadonlyMap<string, readonly FileChange[]> {
  return new Map(files.map((file) => [file.path, [{ ...file, before: file.after, after: file.before }]]))
}

/** Names of files in one message. A person may want to look at each. */
const mostNamed = 50

/** Whether nothing was answered, undone or redone since. Otherwise the files may be meant as they are. */
function isNewest(records: readonly SessionRecord[], id: string): boolean {
  const at = records.findIndex((record) => record.id === id)
  return !records.slice(at + 1).some(({ type }) => later.has(type))
}

const later: ReadonlySet<SessionRecord['type']> = new Set(['step', 'change', 'undo', 'redo'])

function tidy({ files }: Pick<UndoPlace, 'files'>, changes: readonly FileChange[]): void {
  for (const { path, made } of changes) files.tidy(path, made)
}

/** `"a.ts", "b.ts"; "c.ts" stays as it is: it was edited since`. */
function described(begun: readonly FileChange[], files: readonly DoneFile[]): string {
  const left = files.filter((file) => !file.done)
  const stays = new Set(left.map(({ path }) => path))
  const done = begun.map(({ path }) => path).filter((path) => !stays.has(path))
  return [
    ...(done.length > 0 ? [listed(done, mostNamed)] : []),
    ...left.map(
      ({ path, outcome, reason }) => `${listed([path])} stays as it is: ${reason ?? reasons[outcome]}`,
    ),
  ].join('; ')
}

const reasons: Readonly<Record<DoneFile['outcome'], string>> = {
  restore: 'it could not be written',
  'restore-edited': 'it could not be written',
  edited: 'it was edited since',
  lost: 'its earlier content was not saved',
  refused: 'undo may not write there',
}

/** It is in the user's own folder, so only a damaged disk makes it unreadable. Then it is left alone. */
function readNote(text: string): BegunUndo | undefined {
  try {
    const { record, kind, opened, files } = JSON.parse(text) as Partial<BegunUndo>
    if (typeof record !== 'string' || (kind !== 'undo' && kind !== 'redo')) return undefined
    return Array.isArray(opened) && Array.isArray(files) ? { record, kind, opened, files } : undefined
  } catch {
    return undefined
  }
}

function warning(
  code: 'undo-finished' | 'redo-finished' | 'undo-unfinished' | 'undo-waits',
  ...args: readonly string[]
): Warning {
  return { code, ...agentWarningWords(code, ...args), source: 'undo' }
}
