import { randomBytes } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { SessionHeader } from '@mutsumi/schema'
import { sessionFaultWords } from '../codec/fault-words.js'
import { storedHashes } from '../codec/large-content.js'
import type { RecordMaker } from '../fold/interaction-records.js'
import { roundCells } from '../fold/round-cells.js'
import { forkRecords } from '../fork/fork-records.js'
import { createWhole } from './atomic-files.js'
import { shareContents } from './content-folder.js'
import { freePath, sessionEnding } from './file-name.js'
import { refuseOutside } from './inside-project.js'
import { type LoadedSession, loadSession } from './load-session.js'
import { newHeader } from './new-header.js'
import { answering, SessionError, type SessionFault } from './session-fault.js'
import { type SessionLines, writeSession } from './write-session.js'

export interface ForkOptions {
  /** The last round of the fork, counted from 1. Absent: all rounds. */
  readonly round?: number
  /** The path of the fork, used as given. Absent: beside the session. */
  readonly to?: string
}

export type Forking =
  | { readonly kind: 'forked'; readonly path: string; readonly header: SessionHeader }
  | SessionFault

/**
 * Copies a session up to a round. It only reads the session, so one that another process is writing can be forked too.
 */
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
  refuseOutside(to)
  await shareContents(from, to, contentsOf(lines))
  await createWhole(to, (file) => writeSession(file, to, lines))
  return { kind: 'forked', path: to, header: lines.header }
}

function forkedLines(loaded: LoadedSession, round: number | undefined): SessionLines {
  const { header, unknown, fold } = loaded
  const { all, lines } = loaded.records
  const rounds = roundCells(fold.session.cells)
  if (round !== undefined && !(Number.isInteger(round) && round >= 1 && round <= rounds.length))
    throw new SessionError('bad-round', sessionFaultWords('no-such-round', round, rounds.length))
  const forked = newHeader({
    metadata: { ...header.metadata, forked_from: { session: header.id, round: round ?? rounds.length } },
  })
  if (round === undefined) return { header: forked, lines, unknown }
  const { records, counts, isKept } = forkRecords(
    { ...loaded, records: all },
    rounds.slice(0, round).flat(),
    newNames(),
  )
  const asLines = new Map(all.map((record, index) => [record, lines[index]]))
  return {
    header: forked,
    lines: records.map((record) => asLines.get(record) ?? record),
    unknown: unknown
      .filter(({ after }) => isKept(after))
      .map((line) => ({ ...line, after: counts[line.after] ?? line.after })),
  }
}

function newNames(): RecordMaker {
  const names = randomBytes(3).toString('hex')
  let named = 0
  return { newId: () => `${names}-${++named}`, at: new Date().toISOString() }
}

function contentsOf({ lines }: SessionLines): ReadonlySet<string> {
  return new Set(lines.flatMap(storedHashes))
}
