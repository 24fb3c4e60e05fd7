import { shellPath } from '@mutsumi/host'
import { type SessionRecord, safeJson, safeLine } from '@mutsumi/schema'
import { acceptForeign, foreignRecords } from '@mutsumi/session/node'
import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { findSession } from '../sessions/find-session.js'
import { sessionFailure } from '../sessions/open-stored.js'
import { printLine } from '../terminal/output.js'
import { say } from '../words/say.js'

interface AcceptOptions extends WorkspaceFlags {
  readonly preview?: boolean
  readonly json?: boolean
}

/** `mutsumi sessions accept`: lines that Mutsumi did not write become part of the session. */
export async function runSessionsAccept(name: string, options: AcceptOptions): Promise<void> {
  const { C, preview = false, json } = options
  const path = await findSession(name, workspaceFolder(C))
  const accepting = await (preview ? foreignRecords(path) : acceptForeign(path))
  if (accepting.kind !== 'accepted') throw sessionFailure(accepting, path)
  const lines = accepting.records.map(lineOf)
  if (json) return printLine(safeJson({ path, preview, lines }))
  if (lines.length === 0) return printLine(say`Mutsumi wrote every line of ${shellPath(path)}.`)
  for (const { type, cell, role, text } of lines)
    printLine(
      safeLine(
        `${type}${role === undefined ? '' : ` (${role})`}${cell === undefined ? '' : ` of ${cell}`}: ${text}`,
      ),
    )
  const count = lines.length === 1 ? '1 line' : `${lines.length} lines`
  printLine(
    preview
      ? say`\n${count} to accept: mutsumi sessions accept ${shellPath(path)}`
      : say`\nAccepted ${count} of ${shellPath(path)}.`,
  )
}

/** The whole text, because the person decides by it. */
function lineOf(record: SessionRecord) {
  const { type } = record
  const { foreign: _, id: __, at: ___, ...fields } = record
  const text = 'content' in record ? (record.content ?? '') : JSON.stringify(fields)
  return {
    type,
    ...('cell' in record && { cell: record.cell }),
    ...('role' in record && record.role !== undefined && { role: record.role }),
    text,
  }
}
