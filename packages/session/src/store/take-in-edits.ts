import { basename } from 'node:path'
import { type SessionCell, type SessionRecord, safeLine, type Warning } from '@mutsumi/schema'
import { cellsOf } from '../fold/cell-list.js'
import { diffCells } from '../fold/diff-cells.js'
import type { RecordMaker } from '../fold/interaction-records.js'
import { cellsLeft, outsideEdits, type ReadRecord } from '../fold/outside-edits.js'
import { sha256 } from './content-folder.js'
import { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
import { rewriteSession } from './rewrite-session.js'
import { damageSetAside } from './set-aside.js'

export const editsTaken = 'edits-taken'

/**
 * Takes in what a text editor, git or another program did to a session while it was open: lines that were changed,
 * deleted or damaged stand there again, and records say what was done to the cells, so that what was sent can still be
 * shown.
 */
export async function takeInEdits(
  path: string,
  { held, loaded, maker }: { held: readonly SessionRecord[]; loaded: LoadedSession; maker: RecordMaker },
  options: LoadOptions,
): Promise<LoadedSession> {
  const { header, records, lines } = loaded
  const damage = loaded.notes.filter(({ code }) => code === damageSetAside)
  const found = records.map((record, at) => ({ record, line: lines[at] ?? record }))
  const edits = outsideEdits(held, found, { hash: sha256, isDamaged: damage.length > 0 })
  if (!edits) return loaded
  const changes = diffCells(cellsIn(edits.restored), cellsLeft(cellsIn(edits.left), edits), maker)
  const whole = [...edits.restored.map(({ line }) => line), ...changes]
  const unknown = loaded.unknown.map((line) => ({ ...line, after: edits.counts[line.after] ?? line.after }))
  try {
    const { log, backup } = await rewriteSession(path, { header, lines: whole, unknown }, options)
    await log.file.close()
    const taken = await loadSession(path, options)
    const note = noteOf(path, { edits: changes.length, putBack: edits.putBack, backup })
    return { ...taken, notes: [...damage, note, ...taken.notes] }
  } finally {
    await loaded.log.file.close()
  }
}

function cellsIn(read: readonly ReadRecord[]): readonly SessionCell[] {
  return cellsOf(read.map(({ record }) => record))
}

function noteOf(
  path: string,
  { edits, putBack, backup }: { readonly edits: number; readonly putBack: number; readonly backup: string },
): Warning {
  const told = [
    ...(edits > 0 ? [editsBy(edits)] : []),
    ...(putBack > 0 || edits === 0 ? [linesPutBack(putBack)] : []),
    `The file as that program left it is ${safeLine(backup)}.`,
  ]
  return { code: editsTaken, source: basename(path), message: told.join(' ') }
}

function editsBy(count: number): string {
  return count === 1
    ? 'One edit by another program was taken in.'
    : `${count} edits by another program were taken in.`
}

function linesPutBack(count: number): string {
  const what = count === 1 ? 'One line was' : count === 0 ? 'Lines were' : `${count} lines were`
  return `${what} put back as before: what was said and sent is changed only while the session is closed.`
}
