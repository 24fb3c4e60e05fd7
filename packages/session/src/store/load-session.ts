import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import type { JsonObject, SessionHeader, SessionRecord, Warning } from '@mutsumi/schema'
import { joinRecord } from '../codec/large-content.js'
import { type DecodedFile, type DecodedSession, SessionDecoder } from '../codec/session-decoder.js'
import { SessionFold } from '../fold/session-fold.js'
import { systemTextsIn, systemTextWarnings } from '../fold/system-text-warnings.js'
import { olderSession } from '../older/older-session.js'
import { writeAll } from './atomic-files.js'
import { readContent, snapshotFaults } from './content-folder.js'
import { fileStateOf, type LogFile, type OpenLog } from './line-log.js'
import { lostCellNotes, missingContentNotes, notesOf } from './load-notes.js'
import { chunks, cutOff, forAppending, forReading, type OpenFile, openRegular } from './open-file.js'
import { refuseAgain, refuseOther, refuseToWrite } from './refusals.js'
import type { SessionFault } from './session-fault.js'
import { keepTorn, setAside } from './set-aside.js'
import { sha256 } from './sha256.js'

/** A session as read from its file. */
export interface LoadedSession {
  readonly log: OpenLog
  readonly header: SessionHeader
  readonly records: SessionRecord[]
  /** The records as their lines contain them: large texts by their hash, even if the text itself is missing. */
  readonly lines: readonly SessionRecord[]
  /** Lines that this version does not know, each with the number of records before it. */
  readonly unknown: DecodedSession['unknown']
  readonly fold: SessionFold
  readonly notes: readonly Warning[]
  /** The file has the older format and must be rewritten before anything is appended. */
  readonly isOlder: boolean
  /** Its last line is incomplete, even if only the line end is missing. */
  readonly isTorn: boolean
}

export interface LoadOptions {
  readonly readOnly: boolean
  readonly openFile?: OpenFile | undefined
  /** Damaged lines were set aside a moment ago. If there is new damage, the disk is failing. */
  readonly isMended?: true
}

/** Reads a session. A file that will be written is repaired first; a file opened for reading is not changed. */
export async function loadSession(path: string, options: LoadOptions): Promise<LoadedSession> {
  const { readOnly, openFile } = options
  const file = await openRegular(path, readOnly ? forReading : forAppending, openFile)
  try {
    // Taken before the file is read, so that changes during reading are noticed.
    const state = fileStateOf(await file.stat({ bigint: true }))
    const decoded = await decodeFile(file, state.size)
    if (decoded.kind === 'older') return loadOlder(path, decoded.value, { file, state })
    if (decoded.kind !== 'session') return refuseOther(path, decoded)
    if (readOnly) return build(path, decoded, { file, state })
    refuseToWrite(path, decoded)
    if (decoded.damage.length === 0) return await mended(path, decoded, { file, state, openFile })
    if (options.isMended) return refuseAgain(path)
    const note = await setAside(path, file, { decoded, size: state.size })
    const rest = await loadSession(path, { ...options, isMended: true })
    await file.close()
    return { ...rest, notes: [note, ...rest.notes] }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function decodeFile(file: LogFile, size: number): Promise<DecodedFile> {
  const decoder = new SessionDecoder({ sum: crc32 })
  for await (const chunk of chunks(file, { from: 0, to: size })) decoder.push(chunk)
  return decoder.end()
}

async function mended(
  path: string,
  decoded: DecodedSession,
  { openFile, ...log }: OpenLog & Pick<LoadOptions, 'openFile'>,
): Promise<LoadedSession> {
  const kept = decoded.torn && (await keepTorn(path, log.file, decoded.torn))
  return build(path, decoded, await mendEnd(path, log, { decoded, openFile }), kept)
}

/** Removes an incomplete line that was never acknowledged, and adds a line end that an editor left out. */
async function mendEnd(
  path: string,
  { file, state }: OpenLog,
  { decoded: { torn, endsOpen }, openFile }: { decoded: DecodedSession } & Pick<LoadOptions, 'openFile'>,
): Promise<OpenLog> {
  if (!torn && !endsOpen) return { file, state }
  if (torn) await cutOff(path, file, torn.offset, openFile)
  else await writeAll(file, Buffer.from('\n'))
  await file.datasync()
  const size = torn ? torn.offset : state.size + 1
  return { file, state: { ...fileStateOf(await file.stat({ bigint: true })), size } }
}

function build(path: string, decoded: DecodedSession, log: OpenLog, keptTorn?: string): LoadedSession {
  const { header, unknown } = decoded
  const fold = new SessionFold(header)
  const missing: SessionFault[] = []
  const records = decoded.records.map((line) => {
    const record = joinRecord(line, (hash) => {
      const reading = readContent(path, hash)
      if (reading.kind === 'fault') missing.push(reading)
      return reading.kind === 'content' ? reading.text : undefined
    })
    fold.add(record)
    return record
  })
  for (const snapshot of fold.facts.snapshots.values()) missing.push(...snapshotFaults(path, snapshot))
  const notes = [
    ...notesOf(path, decoded, keptTorn),
    ...missingContentNotes(path, missing),
    ...lostCellNotes(path, fold),
    ...voicesOf(path, { fold, records }),
  ]
  const isTorn = decoded.torn !== undefined || decoded.endsOpen === true
  return { log, header, records, lines: decoded.records, unknown, fold, notes, isOlder: false, isTorn }
}

/** The session in the current format. Ids are derived from the content, so they are the same each time. */
function loadOlder(path: string, older: JsonObject, log: OpenLog): LoadedSession {
  const id = sha256(JSON.stringify(older)).slice(0, 32)
  const at = new Date(Number(log.state.modified / 1_000_000n)).toISOString()
  let named = 0
  const newId = () => `${id.slice(0, 6)}-${(++named).toString(36)}`
  const { header, records } = olderSession(older, { id, at, newId })
  const fold = new SessionFold(header)
  for (const record of records) fold.add(record)
  const notes = voicesOf(path, { fold, records })
  const read = { log, header, records: [...records], lines: records, unknown: [], fold, notes }
  return { ...read, isOlder: true, isTorn: false }
}

function voicesOf(
  path: string,
  { fold, records }: { readonly fold: SessionFold; readonly records: readonly SessionRecord[] },
): readonly Warning[] {
  return systemTextWarnings(basename(path), systemTextsIn(records, fold.session))
}
