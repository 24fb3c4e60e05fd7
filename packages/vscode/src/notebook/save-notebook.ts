import type { AgentMetadata, SessionCell, SessionRecord } from '@mutsumi/schema'
import { encodeHeader, encodeRecord } from '@mutsumi/session'
import { diffCells, metadataChanges } from '@mutsumi/session/parts'
import type { OpenedNotebook } from './open-notebook.js'

/** What a notebook holds when it is saved. */
export interface NotebookState {
  readonly cells: readonly SessionCell[]
  readonly metadata: AgentMetadata
}

export interface SaveSources {
  /** As the notebook loaded it. */
  readonly loaded: OpenedNotebook
  /** As it is on disk now: others may have appended to it since. */
  readonly disk: OpenedNotebook
  /** Ids of cells that the notebook has ever shown. Others on disk are not its to delete. */
  readonly known: ReadonlySet<string>
  readonly newId: () => string
  readonly at: string
}

export interface SavedNotebook {
  readonly bytes: Uint8Array
  /** How many records the notebook adds. */
  readonly added: number
}

/** The file after a save: everything that is on disk, and records for what was changed in the notebook. */
export function saveNotebook(state: NotebookState, sources: SaveSources): SavedNotebook {
  const { disk } = sources
  const changes = changesOf(state, sources)
  const written = disk.isRewritten ? [...disk.records, ...changes] : changes
  const head = disk.isRewritten ? [encodeHeader(disk.header)] : []
  return { bytes: appended(disk, [...head, ...written.map(encodeRecord)]), added: changes.length }
}

function changesOf(
  { cells, metadata }: NotebookState,
  { loaded, disk, known, newId, at }: SaveSources,
): readonly SessionRecord[] {
  const own = disk.session.cells.filter(({ metadata: cell }) => known.has(cell?.id ?? ''))
  const taken = new Set(disk.records.map(({ id }) => id))
  const maker = { newId, at, isFree: (id: string) => !taken.has(id) }
  const change = metadataChanges(loaded.session.metadata, metadata)
  return [
    ...diffCells(own, cells, maker),
    ...(change ? [{ type: 'metadata' as const, id: newId(), at, ...change }] : []),
  ]
}

function appended({ bytes, isRewritten, endsOpen }: OpenedNotebook, lines: readonly string[]): Uint8Array {
  if (lines.length === 0) return bytes
  const before = isRewritten ? new Uint8Array() : bytes
  const text = `${endsOpen ? '\n' : ''}${lines.join('\n')}\n`
  return Buffer.concat([before, Buffer.from(text)])
}
