import { basename } from 'node:path'
import { type SessionHeader, type SessionRecord, safeLine, type Warning } from '@mutsumi/schema'
import { encodeHeader } from '../codec/encode.js'
import { sessionFaultWords, withInner } from '../codec/fault-words.js'
import { storedHashes } from '../codec/large-content.js'
import { createWhole } from './atomic-files.js'
import { rescuePath } from './companion-paths.js'
import { shareContents } from './content-folder.js'
import type { LogFile } from './line-log.js'
import { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
import { keepLost, lostRecords } from './lost-records.js'
import { noteWords } from './note-words.js'
import { readRegular } from './read-regular.js'
import { readableRecords } from './readable-records.js'
import { rewriteSession } from './rewrite-session.js'
import { errorCode, SessionError } from './session-fault.js'
import { unlessPresent } from './set-aside.js'
import type { SettledFile } from './settled-file.js'
import { editsTaken, type HeldLines, recordsRestored, takeInEdits } from './take-in-edits.js'
import { writeSession } from './write-session.js'

/** A session as its writing process knows it. */
export interface HeldSession extends HeldLines {
  readonly header: SessionHeader
  readonly notes: readonly Warning[]
  /** Waits while another program writes the file. */
  readonly settled: SettledFile
  /** The file that was open until now. */
  readonly file: LogFile
  readonly newId: () => string
  /** Whether this process made the record with that id. It may not be on disk yet. */
  readonly isOwn: (id: string) => boolean
}

export type Reloading =
  | { readonly kind: 'reloaded'; readonly loaded: LoadedSession }
  /** Something else replaced the file, and nothing is written there. */
  | {
      readonly kind: 'refused'
      /** Writes the known records to a separate session beside the file and returns its path, if there are any. */
      readonly keep: () => Promise<string | undefined>
      readonly error: (kept: string | undefined) => SessionError
    }

/**
 * Reads a session again after another program changed it. Saved records are never lost: they are in the file, are
 * written to it again, or go to a file beside it.
 */
export async function reloadSession(
  path: string,
  known: HeldSession,
  asOpened: LoadOptions,
): Promise<Reloading> {
  await known.settled.wait()
  const options = asOpened.inTurn ? asOpened : { ...asOpened, isKnown: knownTo(known) }
  const found = await find(path, known, options)
  const { records, lost } = readableRecords(
    known.records,
    found.kind === 'session' ? found.loaded.records : undefined,
  )
  const notes = [
    ...known.notes,
    ...(lost === 0 ? [] : [textsLostNote(path, lost)]),
    ...(known.settled.isRestless && !known.notes.some(isBusy) ? [busyNote(path)] : []),
  ]
  const held = { ...known, records, notes }
  switch (found.kind) {
    case 'session':
      return {
        kind: 'reloaded',
        loaded: await withLost(path, await withEdits(path, found.loaded, { held, options }), held),
      }
    case 'deleted':
    case 'cut':
      return { kind: 'reloaded', loaded: await writeAgain(path, found.kind, { held, options }) }
    case 'other':
      return refused(path, held, found)
    default:
      return found satisfies never
  }
}

/**
 * The lock keeps other Mutsumis out, so nobody else adds records to this file. A writer that takes turns with this one is
 * the editor, which adds the user's own cells.
 */
function knownTo({ records, isOwn }: HeldSession): (id: string) => boolean {
  const ids = new Set(records.map(({ id }) => id))
  return (id) => ids.has(id) || isOwn(id)
}

type Found =
  | { readonly kind: 'session'; readonly loaded: LoadedSession }
  | { readonly kind: 'deleted' }
  /** The file is empty, or contains only a part of the known records. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'other'; readonly error: SessionError; readonly isWhole: boolean }

async function find(path: string, held: HeldSession, options: LoadOptions): Promise<Found> {
  try {
    const loaded = await loadSession(path, options)
    if (loaded.header.id === held.header.id) return { kind: 'session', loaded }
    await loaded.log.file.close()
    return { kind: 'other', error: replacedError(path), isWhole: false }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return whereGone(path, held)
    if (notFiles.has(errorCode(error))) return { kind: 'other', error: notAFile(path), isWhole: false }
    if (!(error instanceof SessionError) || !otherContents.has(error.code)) throw error
    if (error.code === 'empty' || isHeaderCut(path, held.header)) return { kind: 'cut' }
    const records = await recordsIn(path)
    const others = records.filter(({ id }) => !held.isOwn(id))
    if (error.code === 'bad-header' && isPart(others, held.records)) return { kind: 'cut' }
    return { kind: 'other', error, isWhole: isPart(held.records, records) }
  }
}

/** Errors from opening a folder, a link or a pipe as a file. */
const notFiles = new Set(['EISDIR', 'ELOOP', 'EMLINK', 'ENXIO'])

function notAFile(path: string): SessionError {
  return new SessionError('replaced', sessionFaultWords('no-longer-regular', safeLine(path)))
}

const otherContents = new Set(['empty', 'not-a-session', 'newer', 'bad-header', 'conflict'])

function replacedError(path: string): SessionError {
  return new SessionError('replaced', sessionFaultWords('session-replaced', safeLine(path)))
}

/** A file without a name was deleted; one with a name was moved and has all its records. */
async function whereGone(path: string, { file }: HeldSession): Promise<Found> {
  const { nlink } = await file.stat({ bigint: true })
  if (nlink === 0n) return { kind: 'deleted' }
  throw new SessionError('missing', sessionFaultWords('session-moved', safeLine(path)))
}

function isHeaderCut(path: string, header: SessionHeader): boolean {
  const line = Buffer.from(`${encodeHeader(header)}\n`)
  try {
    const bytes = readRegular(path, line.length)
    return line.subarray(0, bytes.length).equals(bytes)
  } catch {
    // It is longer or unreadable, so it is not the beginning of the header.
    return false
  }
}

/** The records that can be read. */
async function recordsIn(path: string): Promise<readonly SessionRecord[]> {
  try {
    const { records, log } = await loadSession(path, { readOnly: true })
    await log.file.close()
    return records.all
  } catch (error) {
    if (error instanceof SessionError || errorCode(error) !== '') return []
    throw error
  }
}

function isPart(records: readonly SessionRecord[], whole: readonly SessionRecord[]): boolean {
  const ids = new Set(whole.map(({ id }) => id))
  return records.every(({ id }) => ids.has(id))
}

interface ReloadWork {
  readonly held: HeldSession
  readonly options: LoadOptions
}

function withEdits(
  path: string,
  loaded: LoadedSession,
  { held, options }: ReloadWork,
): Promise<LoadedSession> {
  const taken = new Set([...held.records, ...loaded.records.all].map(({ id }) => id))
  const { newId } = held
  const maker = { newId, at: new Date().toISOString(), isFree: (id: string) => !taken.has(id) }
  return takeInEdits(path, { held, loaded, maker }, options)
}

/** A note about lost records is kept until the session is closed, because the file itself does not contain it. */
async function withLost(path: string, loaded: LoadedSession, held: HeldSession): Promise<LoadedSession> {
  try {
    const lost = await keepLost(path, { held: held.records, found: loaded.records.all })
    return { ...loaded, notes: [...lastingNotes(held), ...lost, ...loaded.notes] }
  } catch (error) {
    await loaded.log.file.close()
    throw error
  }
}

const busyFile = 'busy-file'

function isBusy({ code }: Warning): boolean {
  return code === busyFile
}

function busyNote(path: string): Warning {
  const source = basename(path)
  return { code: busyFile, source, ...noteWords(busyFile, safeLine(source)) }
}

const textsLost = 'texts-lost'

/** A long text is held in memory only while it is new. */
function textsLostNote(path: string, lost: number): Warning {
  const which =
    lost === 1 ? 'The long text of one older record was' : `The long texts of ${lost} older records were`
  return {
    code: textsLost,
    source: basename(path),
    message: `${which} only in the file, and another program overwrote it there. It cannot be restored from memory.`,
  }
}

const lastingCodes: readonly string[] = [busyFile, lostRecords, editsTaken, recordsRestored, textsLost]

function lastingNotes({ notes }: HeldSession): readonly Warning[] {
  return notes.filter(({ code }) => lastingCodes.includes(code))
}

async function writeAgain(
  path: string,
  kind: 'deleted' | 'cut',
  { held, options }: ReloadWork,
): Promise<LoadedSession> {
  const session = { header: held.header, lines: held.records, unknown: held.unknown }
  const kept = kind === 'cut' ? await replace(path, session, options) : undefined
  if (kind === 'deleted') await createWhole(path, (file) => writeSession(file, path, session))
  const loaded = await loadSession(path, options)
  const message = `${kind === 'cut' ? 'Another program emptied the file, or wrote only its beginning.' : 'Another program deleted the file.'} ${
    held.records.length === 1 ? 'One record was' : `${held.records.length} records were`
  } written again.${kept === undefined ? '' : ` The file as that program left it is ${safeLine(kept)}.`}`
  const note = { code: recordsRestored, source: basename(path), message }
  return { ...loaded, notes: [...lastingNotes(held), note, ...loaded.notes] }
}

async function replace(
  path: string,
  session: Parameters<typeof rewriteSession>[1],
  options: LoadOptions,
): Promise<string> {
  const { log, backup } = await rewriteSession(path, session, options)
  await log.file.close()
  return backup
}

function refused(
  path: string,
  held: HeldSession,
  { error, isWhole }: Extract<Found, { kind: 'other' }>,
): Reloading {
  return {
    kind: 'refused',
    keep: async () => (isWhole || held.records.length === 0 ? undefined : keepBeside(path, held)),
    error: (kept) =>
      kept === undefined
        ? error
        : new SessionError(error.code, withInner('records-kept', error, safeLine(kept))),
  }
}

/** A separate session with the same id, because it is the same conversation. */
function keepBeside(path: string, held: HeldSession): Promise<string> {
  const session = { header: held.header, lines: held.records, unknown: held.unknown }
  return unlessPresent(
    (time) => rescuePath(path, time),
    new Date(),
    async (place) => {
      await shareContents(path, place, new Set(held.records.flatMap(storedHashes)))
      await createWhole(place, (file) => writeSession(file, place, session))
    },
  )
}
