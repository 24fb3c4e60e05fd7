import type {
  AgentMetadata,
  EditRecord,
  JsonObject,
  NoteKind,
  SessionCell,
  SessionRecord,
} from '@mutsumi/schema'
import { encodeHeader, encodeRecord, foldSession } from '@mutsumi/session'
import { diffCells, metadataChanges } from '@mutsumi/session/parts'
import type { OpenedNotebook } from './open-notebook.js'
import { contentOf } from './typed-text.js'

/** The content of a notebook when it is saved. */
export interface NotebookState {
  readonly cells: readonly SessionCell[]
  readonly metadata: AgentMetadata
}

export interface SaveSources {
  /** The file as the notebook loaded it. */
  readonly loaded: OpenedNotebook
  /** The file as it is on disk now. Another process may have appended to it. */
  readonly disk: OpenedNotebook
  /** Ids of all cells that the notebook has shown. It must not delete other cells from the disk. */
  readonly known: ReadonlySet<string>
  readonly newId: () => string
  readonly at: string
}

export interface SavedNotebook {
  readonly bytes: Uint8Array
  /** The records that the notebook adds. */
  readonly added: readonly SessionRecord[]
}

/** The file after a save: everything that is on disk, and records of the changes in the notebook. */
export function saveNotebook(state: NotebookState, sources: SaveSources): SavedNotebook {
  const { disk } = sources
  const changes = notebookChanges(state, sources)
  const written = disk.isRewritten ? [...disk.records, ...changes] : changes
  const head = disk.isRewritten ? [encodeHeader(disk.header)] : []
  return { bytes: appended(disk, [...head, ...written.map(encodeRecord)]), added: changes }
}

/** The records of the changes alone. */
export function notebookChanges(
  { cells, metadata }: NotebookState,
  { loaded, disk, known, newId, at }: SaveSources,
): readonly SessionRecord[] {
  const back = broughtBack(cells, disk, { newId, at })
  const own = back.cells.filter(({ metadata: cell }) => known.has(cell?.id ?? '') || back.has(cell?.id ?? ''))
  let taken: ReadonlySet<string> | undefined
  const isFree = (id: string) => {
    // Only new cells ask for it.
    taken ??= new Set(disk.records.map((record) => record.id))
    return !taken.has(id)
  }
  const maker = { newId, at, isFree }
  const change = metadataChanges(
    unrecorded(loaded.session.metadata, metadata, disk.session.metadata),
    metadata,
  )
  const commands = new Map(
    own.flatMap((cell) => (cell.metadata?.typed === undefined ? [] : [[cell.metadata.id, cell]])),
  )
  const held = commands.size === 0 ? cells : cells.map((cell) => asRecorded(cell, commands))
  const words = commands.size === 0 ? [] : held
  const byId = new Map(own.map((cell) => [cell.metadata?.id ?? '', cell]))
  return [
    ...back.records,
    ...diffCells(own, held, maker),
    ...held.flatMap((cell) => changedKind(cell, byId.get(cell.metadata?.id ?? ''), { newId, at })),
    ...words.flatMap((cell) => outdatedWords(cell, commands.get(cell.metadata?.id), { newId, at })),
    ...(change ? [{ type: 'metadata' as const, id: newId(), at, ...change }] : []),
  ]
}

/**
 * Cells whose deletion was saved and then undone, or that were cut and pasted. An edit brings them back with their answers.
 * A cell that an undo of rounds took away stays away: only a redo brings it back.
 */
function broughtBack(
  cells: readonly SessionCell[],
  { header, records, session }: OpenedNotebook,
  { newId, at }: Pick<SaveSources, 'newId' | 'at'>,
) {
  const shown = new Set(session.cells.map(({ metadata }) => metadata?.id))
  const missing = new Set(cells.flatMap(({ metadata: { id } = {} }) => (id && !shown.has(id) ? [id] : [])))
  const edits = records.flatMap((record): EditRecord[] =>
    missing.size > 0 && record.type === 'cell' && missing.has(record.id)
      ? [{ type: 'edit', id: newId(), at, cell: record.id }]
      : [],
  )
  if (edits.length === 0) return { cells: session.cells, records: [], has: () => false }
  const after = foldSession(header, [...records, ...edits]).cells
  const visible = new Set(after.map(({ metadata }) => metadata?.id))
  const found = edits.filter(({ cell }) => visible.has(cell))
  const ids = new Set(found.map(({ cell }) => cell))
  return { cells: after, records: found, has: (id: string) => ids.has(id) }
}

/**
 * The metadata as it was read, without the changes that an earlier save has recorded. `null` takes a name out, also if another program recorded
 * it.
 */
function unrecorded(read: AgentMetadata, now: AgentMetadata, recorded: AgentMetadata): AgentMetadata {
  const names = Object.keys({ ...read, ...now })
  return Object.fromEntries(
    names.flatMap((name) => {
      const isRecorded = JSON.stringify(now[name]) === JSON.stringify(recorded[name])
      const value = isRecorded ? now[name] : now[name] === null ? recorded[name] : read[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** `commands`: recorded cells that call user commands, by their ids. */
function asRecorded(cell: SessionCell, commands: ReadonlyMap<string | undefined, SessionCell>): SessionCell {
  return { ...cell, content: contentOf(cell.content, commands.get(cell.metadata?.id)) }
}

/** A question that a person made a note, or the other way round. */
function changedKind(
  { metadata }: SessionCell,
  recorded: SessionCell | undefined,
  { newId, at }: Pick<SaveSources, 'newId' | 'at'>,
): readonly SessionRecord[] {
  const now = metadata?.kind === ('markup' satisfies NoteKind)
  const {
    id: cell = '',
    role = 'user',
    kind,
    mutsumi_interaction: said = [],
    ...rest
  } = recorded?.metadata ?? {}
  const { at: _, shortened: __, given: ___, ...others } = rest
  if (!recorded || role !== 'user' || said.length > 0 || now === (kind === ('markup' satisfies NoteKind)))
    return []
  return [
    {
      type: 'edit',
      id: newId(),
      at,
      cell,
      metadata: { ...(others as JsonObject), ...(now && { kind: 'markup' satisfies NoteKind }) },
    },
  ]
}

/** The typed words of a command that the cell no longer calls. */
function outdatedWords(
  { content, metadata }: SessionCell,
  recorded: SessionCell | undefined,
  { newId, at }: Pick<SaveSources, 'newId' | 'at'>,
): readonly SessionRecord[] {
  if (recorded?.metadata?.typed === undefined || recorded.content === content) return []
  const { mentioned, mode } = recorded.metadata
  return [
    {
      type: 'edit',
      id: newId(),
      at,
      cell: metadata?.id ?? '',
      metadata: { ...(mentioned && { mentioned }), ...(mode && { mode }) },
    },
  ]
}

function appended({ bytes, isRewritten, endsOpen }: OpenedNotebook, lines: readonly string[]): Uint8Array {
  if (lines.length === 0) return bytes
  const before = isRewritten ? new Uint8Array() : bytes
  const text = `${endsOpen ? '\n' : ''}${lines.join('\n')}\n`
  return Buffer.concat([before, Buffer.from(text)])
}
