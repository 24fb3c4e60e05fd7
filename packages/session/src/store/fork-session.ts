import { randomBytes } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { EditRecord, SessionHeader, SessionRecord } from '@mutsumi/schema'
import { roundCells } from '../fold/round-cells.js'
import { SessionFold } from '../fold/session-fold.js'
import { shareContents } from './content-folder.js'
import { createWhole } from './durable.js'
import { freePath, sessionEnding } from './file-name.js'
import { type LoadedSession, loadSession } from './load-session.js'
import { newHeader } from './open-session.js'
import { answering, SessionError, type SessionFault } from './session-fault.js'
import { type SessionLines, writeSession } from './write-session.js'

export interface ForkOptions {
  /** The last round that the fork has, counted from 1; all of them where absent. */
  readonly round?: number
  /** Where the fork goes, as given; beside the session where absent. */
  readonly to?: string
}

export type Forking =
  | { readonly kind: 'forked'; readonly path: string; readonly header: SessionHeader }
  | SessionFault

/** Copies a session up to a round. It only reads, so a session that another process writes can be forked. */
export function forkSession(path: string, { round, to }: ForkOptions = {}): Promise<Forking> {
  return answering(path, async () => {
    const loaded = await loadSession(path, { readOnly: true })
    await loaded.log.file.close()
    const lines = forkedLines(loaded, round)
    const name = basename(path, sessionEnding)
    const place = to ?? (await freePath(dirname(path), `${name} fork`))
    return answering(place, () => writeFork(lines, { from: path, to: place }))
  })
}

async function writeFork(
  lines: SessionLines,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Forking> {
  await shareContents(from, to, contentsOf(lines))
  await createWhole(to, (file) => writeSession(file, to, lines))
  return { kind: 'forked', path: to, header: lines.header }
}

/**
 * The records up to the end of the round as they are, so that its requests can still be replayed; cells that stand
 * behind the round but were written before it ended are deleted as a user deletes them.
 */
function forkedLines(loaded: LoadedSession, round: number | undefined): SessionLines {
  const { header, unknown, fold } = loaded
  const rounds = roundCells(fold.session.cells)
  if (round !== undefined && !(Number.isInteger(round) && round >= 1 && round <= rounds.length))
    throw new SessionError('bad-round', `There is no round ${round}: the session has ${rounds.length}.`)
  const kept = new Set(rounds.slice(0, round).flatMap((cells) => cells.map(({ metadata }) => metadata?.id)))
  const cut = round === undefined ? loaded.lines.length : endOf(loaded.lines, kept)
  const lines = loaded.lines.slice(0, cut)
  return {
    header: newHeader({
      metadata: { ...header.metadata, forked_from: { session: header.id, round: round ?? rounds.length } },
    }),
    lines: [...lines, ...deletions(header, lines, kept)],
    unknown: unknown.filter(({ after }) => after <= cut),
  }
}

/** Behind the last record about these cells, and what was remembered of their round: up to the next cell. */
function endOf(records: readonly SessionRecord[], kept: ReadonlySet<unknown>): number {
  const last = records.findLastIndex((record) => kept.has(cellOf(record)))
  const next = records.findIndex(({ type }, index) => index > last && type === 'cell')
  return next === -1 ? records.length : next
}

function cellOf(record: SessionRecord): string | undefined {
  if (record.type === 'cell') return record.id
  return 'cell' in record ? record.cell : undefined
}

function deletions(
  header: SessionHeader,
  records: readonly SessionRecord[],
  kept: ReadonlySet<unknown>,
): readonly EditRecord[] {
  const fold = new SessionFold(header)
  for (const record of records) fold.add(record)
  const names = randomBytes(3).toString('hex')
  const at = new Date().toISOString()
  return fold.session.cells
    .map(({ metadata }) => metadata?.id)
    .filter((cell) => cell !== undefined && !kept.has(cell))
    .map((cell, index) => ({ type: 'edit', id: `${names}-${index + 1}`, at, cell: `${cell}`, deleted: true }))
}

function contentsOf({ lines }: SessionLines): ReadonlySet<string> {
  return new Set(
    lines.flatMap((line) => {
      if (line.type === 'snapshot') return line.content === undefined ? [line.hash] : []
      return 'stored' in line && line.stored !== undefined ? [line.stored] : []
    }),
  )
}
