import { basename } from 'node:path'
import { safeLine, type Warning } from '@mutsumi/schema'
import type { DecodedSession } from '../codec/session-decoder.js'
import type { SessionFault } from './session-fault.js'

/** Damage is told line by line up to here; a ruined file has too many. */
const mostDamages = 20

/** What whoever opens a session should know of its file. */
export function notesOf(path: string, decoded: DecodedSession, keptTorn?: string): readonly Warning[] {
  const source = basename(path)
  const { damage, torn, conflicts, doubled, headerLost } = decoded
  return [
    ...(headerLost ? [{ code: 'header-lost', source, line: 1, message: lostHeader }] : []),
    ...damage.slice(0, mostDamages).map(({ line, reason }) => ({
      code: 'damaged-line',
      source,
      line,
      message: `this line is left out: ${reason}`,
    })),
    ...(damage.length > mostDamages
      ? [{ code: 'damaged-line', source, message: `${damage.length} lines are damaged in all` }]
      : []),
    ...conflicts.map(({ markers, message }) => ({
      code: 'merge-conflict',
      source,
      line: markers[0] ?? 1,
      message,
    })),
    ...doubled.map((line) => ({
      code: 'doubled-line',
      source,
      line,
      message: 'this line stands there twice, and counts once',
    })),
    ...(torn
      ? [{ code: 'torn-line', source, line: torn.line, message: tornLine(torn.length, keptTorn) }]
      : []),
  ]
}

const lostHeader = 'the first line, which says what session this is, could not be read; its records are there'

function tornLine(length: number, kept: string | undefined): string {
  const told = `the last line is cut off and was dropped (${length} bytes): its writer ended before it was saved`
  return kept === undefined ? told : `${told}; what there is of it is in ${safeLine(kept)}`
}

export function missingContentNote(path: string, { message }: SessionFault): Warning {
  return { code: 'missing-content', source: basename(path), message }
}
