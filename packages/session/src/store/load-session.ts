import { basename } from 'node:path'
import type { JsonObject, SessionHeader, SessionRecord, Warning } from '@mutsumi/schema'
import { joinRecord } from '../codec/large-content.js'
import { placeOf } from '../codec/placed-text.js'
import type { DecodedSession } from '../codec/session-decoder.js'
import { type FoldedLines, SessionFold } from '../fold/session-fold.js'
import { systemTextsIn, systemTextWarnings } from '../fold/system-text-warnings.js'
import { olderNames, olderSession } from '../older/older-session.js'
import { writeAll } from './atomic-files.js'
import { type CheckedFile, checkedFile, decodeRange, type IndexedFile, readIndexed } from './checked-file.js'
import { readContent, snapshotFaults } from './content-folder.js'
import { fileStateOf, type InTurn, type OpenLog } from './line-log.js'
import { lostCellNotes, missingContentNotes, notesOf } from './load-notes.js'
import { cutOff, forAppending, forReading, type OpenFile, openRegular } from './open-file.js'
import { PlacedTexts } from './placed-texts.js'
import { RecordList } from './record-list.js'
import { refuseAgain, refuseOther, refuseToWrite } from './refusals.js'
import { type Seal, sealOf } from './sealed-lines.js'
import type { SessionFault } from './session-fault.js'
import { keepTorn, setAside } from './set-aside.js'
import { sha256 } from './sha256.js'

/** A session as read from its file. */
export interface LoadedSession {
  readonly log: OpenLog
  /** The long texts that stay in the file; absent: all texts are in memory. */
  readonly texts?: PlacedTexts | undefined
  /** Present if a command may see the session, so that every line that we write must be noted. */
  readonly seal?: Seal
  readonly header: SessionHeader
  readonly records: RecordList
  /** How much of the file an index knew. */
  readonly indexed: number
  /** If every line of the file is valid: what an index needs, and the records that no index knew, as their lines are. */
  readonly checked?: CheckedFile & { readonly rest: readonly SessionRecord[] }
  /** Lines that this version does not know, each with the number of records before it. */
  readonly unknown: DecodedSession['unknown']
  readonly fold: SessionFold
  readonly notes: readonly Warning[]
  /** Notes about texts that turned out to be missing or damaged when somebody read them. */
  readonly laterNotes?: () => readonly Warning[]
  /** The file has the older format and must be rewritten before anything is appended. */
  readonly isOlder: boolean
  /** Its last line is incomplete, even if only the line end is missing. */
  readonly isTorn: boolean
}

export interface LoadOptions {
  readonly readOnly: boolean
  readonly openFile?: OpenFile | undefined
  readonly inTurn?: InTurn | undefined
  /** Long texts stay in the file and are read when somebody needs them. */
  readonly placesTexts?: true
  /** The answer says what an index of the file needs. */
  readonly forIndex?: true
  /** Whether this process wrote or read the record with an id. Others were added by another program, with any sum. */
  readonly isKnown?: (id: string) => boolean
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
    const log = { file, state }
    const textOf = textsOf(path)
    const seal = sealOf(path)
    const texts = options.placesTexts && !seal && new PlacedTexts(path, file)
    // An index says nothing about who wrote a line.
    const isJudged = options.isKnown !== undefined || seal !== undefined
    const indexed = isJudged
      ? undefined
      : await readIndexed(file, { path, size: state.size, textOf: textOf.find, ...(texts && { texts }) })
    const known = indexed && buildIndexed(path, indexed, log)
    if (known)
      return {
        ...known,
        ...(texts && { texts }),
        laterNotes: () => missingContentNotes(path, textOf.missing),
      }
    const range = { from: 0, to: state.size }
    const { decoded: read, checked } = await decodeRange(file, range, {
      ...(texts && { texts }),
      sum: options.forIndex && 0,
    })
    const decoded = read.kind === 'session' ? withUnsealed(withForeign(read, options.isKnown), seal) : read
    if (decoded.kind === 'older') return loadOlder(path, decoded.value, log)
    if (decoded.kind !== 'session') return refuseOther(path, decoded)
    const whole = seal ? undefined : checkedFile(decoded, checked, state.size)
    const placed = { ...(texts && { texts }), ...(seal && { seal }) }
    if (readOnly) return { ...build(path, decoded, log, { checked: whole }), ...placed }
    refuseToWrite(path, decoded)
    if (decoded.damage.length === 0)
      return { ...(await mended(path, decoded, { ...log, openFile })), ...placed }
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

function withForeign(decoded: DecodedSession, isKnown: LoadOptions['isKnown']): DecodedSession {
  if (!isKnown || decoded.records.every(({ id }) => isKnown(id))) return decoded
  const records = decoded.records.map((record) =>
    record.foreign || isKnown(record.id) ? record : { ...record, foreign: true as const },
  )
  return { ...decoded, records }
}

/** Only the session's place in the user's own folder tells these lines from ours, so they are named like edited ones. */
function withUnsealed(decoded: DecodedSession, seal: Seal | undefined): DecodedSession {
  if (!seal) return decoded
  const { unknown } = decoded
  const places = decoded.records.flatMap((record, index) => {
    const before = unknown.filter(({ after }) => after <= index).length
    return record.foreign || seal.has(record) ? [] : [{ index, line: index + before + 2 }]
  })
  const unsealed = new Set(places.map(({ index }) => index))
  return {
    ...decoded,
    records: decoded.records.map((record, index) =>
      unsealed.has(index) ? { ...record, foreign: true as const } : record,
    ),
    foreign: [...decoded.foreign, ...places.map(({ line }) => line)],
  }
}

async function mended(
  path: string,
  decoded: DecodedSession,
  { openFile, ...log }: OpenLog & Pick<LoadOptions, 'openFile'>,
): Promise<LoadedSession> {
  const kept = decoded.torn && (await keepTorn(path, log.file, decoded.torn))
  return build(path, decoded, await mendEnd(path, log, { decoded, openFile }), { kept })
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

function build(
  path: string,
  decoded: DecodedSession,
  log: OpenLog,
  { kept, checked }: { readonly kept?: string | undefined; readonly checked?: CheckedFile | undefined } = {},
): LoadedSession {
  const { header, unknown, records: lines } = decoded
  const fold = new SessionFold(header)
  const { read, missing } = addLines(path, fold, lines)
  for (const snapshot of fold.facts.snapshots.values())
    if (!placeOf(snapshot)) missing.push(...snapshotFaults(path, snapshot))
  const notes = [...notesOf(path, decoded, kept), ...notesAbout(path, fold, missing)]
  const isTorn = decoded.torn !== undefined || decoded.endsOpen === true
  return {
    ...{
      log,
      header,
      records: new RecordList(read),
      indexed: 0,
      unknown,
      fold,
      notes,
      isOlder: false,
      isTorn,
    },
    ...(checked && missing.length === 0 && { checked: { ...checked, rest: lines } }),
  }
}

/** The same for a file whose beginning need not be read. Undefined if the index names lines of another type. */
function buildIndexed(
  path: string,
  { header, index, lines, rest, checked }: IndexedFile,
  log: OpenLog,
): LoadedSession | undefined {
  const fold = foldFrom(header, { state: index.fold, lines })
  if (!fold) return undefined
  const { read, missing } = addLines(path, fold, rest)
  // Several snapshots may have one text. It is missing once, as without an index.
  const added = new Set(read.flatMap(({ line }) => (line.type === 'snapshot' ? [line.hash] : [])))
  for (const hash of added) {
    const snapshot = fold.facts.snapshots.get(hash)
    if (snapshot && !placeOf(snapshot)) missing.push(...snapshotFaults(path, snapshot))
  }
  return {
    ...{ log, header, records: new RecordList(read, lines), indexed: index.bytes, unknown: [], fold },
    ...{ notes: notesAbout(path, fold, missing), isOlder: false, isTorn: false },
    ...(missing.length === 0 && { checked: { ...checked, rest } }),
  }
}

function foldFrom(header: SessionHeader, folded: FoldedLines): SessionFold | undefined {
  try {
    return new SessionFold(header, folded)
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Adds records with their texts from beside the file. */
function addLines(path: string, fold: SessionFold, lines: readonly SessionRecord[]) {
  const { find, missing } = textsOf(path)
  const read = lines.map((line) => {
    const record = joinRecord(line, find)
    fold.add(record)
    return { record, line }
  })
  return { read, missing }
}

/** Finds texts beside a file and notes those that are missing. */
function textsOf(path: string) {
  const missing: SessionFault[] = []
  const find = (hash: string): string | undefined => {
    const reading = readContent(path, hash)
    if (reading.kind === 'fault') missing.push(reading)
    return reading.kind === 'content' ? reading.text : undefined
  }
  return { find, missing }
}

function notesAbout(path: string, fold: SessionFold, missing: readonly SessionFault[]): readonly Warning[] {
  return [
    ...missingContentNotes(path, missing),
    ...lostCellNotes(path, fold),
    ...systemTextWarnings(basename(path), systemTextsIn(fold)),
  ]
}

/** The session in the current format. */
function loadOlder(path: string, older: JsonObject, log: OpenLog): LoadedSession {
  const at = new Date(Number(log.state.modified / 1_000_000n)).toISOString()
  const { header, records } = olderSession(older, { at, ...olderNames(sha256(JSON.stringify(older))) })
  const fold = new SessionFold(header)
  for (const record of records) fold.add(record)
  const read = new RecordList(records.map((record) => ({ record, line: record })))
  const notes = systemTextWarnings(basename(path), systemTextsIn(fold))
  return { log, header, records: read, indexed: 0, unknown: [], fold, notes, isOlder: true, isTorn: false }
}
