import { basename } from 'node:path'
import { type SessionRecord, safeLine, type Warning } from '@mutsumi/schema'
import { diffCells } from '../fold/diff-cells.js'
import type { RecordMaker } from '../fold/interaction-records.js'
import { cellsLeft, outsideEdits } from '../fold/outside-edits.js'
import { SessionFold } from '../fold/session-fold.js'
import { sha256 } from './content-folder.js'
import { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
import { rewriteSession } from './rewrite-session.js'
import { damageSetAside } from './set-aside.js'

export const editsTaken = 'edits-taken'

/**
 * Takes in what a text editor, git or another program did to the cells of a session while it was open: lines that
 * were changed or deleted stand there again, and records say what was done, so that what was sent can still be shown.
 */
export async function takeInEdits(
  path: string,
  { held, loaded, maker }: { held: readonly SessionRecord[]; loaded: LoadedSession; maker: RecordMaker },
  options: LoadOptions,
): Promise<LoadedSession> {
  const edits = editsIn(held, loaded)
  if (!edits) return loaded
  const before = new SessionFold(loaded.header)
  for (const { record } of edits.restored) before.add(record)
  const changes = diffCells(before.session.cells, cellsLeft(loaded.fold.session.cells, edits), maker)
  const lines = [...edits.restored.map(({ line }) => line), ...changes]
  const unknown = loaded.unknown.map((line) => ({ ...line, after: edits.counts[line.after] ?? line.after }))
  try {
    const { log, backup } = await rewriteSession(path, { header: loaded.header, lines, unknown }, options)
    await log.file.close()
    const taken = await loadSession(path, options)
    return { ...taken, notes: [noteOf(path, changes.length, backup), ...taken.notes] }
  } finally {
    await loaded.log.file.close()
  }
}

function editsIn(held: readonly SessionRecord[], { records, lines, notes }: LoadedSession) {
  // What the disk damaged was not deleted by anybody.
  if (notes.some(({ code }) => code === damageSetAside)) return undefined
  const found = records.map((record, at) => ({ record, line: lines[at] ?? record }))
  return outsideEdits(held, found, sha256)
}

function noteOf(path: string, count: number, backup: string): Warning {
  const what = count === 1 ? 'One edit' : `${count} edits`
  const message = `${what} by another program ${count === 1 ? 'was' : 'were'} taken in; the file as that left it is ${safeLine(backup)}.`
  return { code: editsTaken, source: basename(path), message }
}
