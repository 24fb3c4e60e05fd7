import type { SessionRecord } from '@mutsumi/schema'
import { decodeLineBytes } from '../codec/decode-line.js'
import { joinRecord } from '../codec/large-content.js'
import { LineSplitter, type RawLine } from '../codec/line-splitter.js'
import { maximumLineBytes } from '../codec/session-decoder.js'
import { type SessionMatches, SessionSearch, type WordsOfStep } from '../search/session-search.js'
import { TextQuery } from '../search/text-query.js'
import { readContent } from './content-folder.js'
import { type ListedSession, listSessionFiles, listSessions, type SessionList } from './list-sessions.js'
import { loadSession } from './load-session.js'
import { chunks, forReading, openRegular } from './open-file.js'
import { answering, type SessionFault } from './session-fault.js'

/** A session in which the words occur. */
export interface FoundSession extends SessionMatches {
  readonly kind: 'found'
  readonly session: ListedSession
}

/** A session that could not be searched, and why. */
export interface UnsearchedSession {
  readonly kind: 'unsearched'
  readonly session: ListedSession
  readonly fault: SessionFault
}

export interface SearchOptions {
  readonly wordsOf?: WordsOfStep
  /** The most matches per session. */
  readonly atMost?: number
  readonly signal?: AbortSignal
}

/**
 * Searches all sessions of a folder, the most recently active first, and yields each one as soon as it was read. A
 * file is read once, in pieces; only lines that may contain the words are parsed.
 */
export async function* searchSessions(
  folder: string,
  words: string,
  options: SearchOptions = {},
): AsyncGenerator<FoundSession | UnsearchedSession | SessionFault> {
  const list = await listSessions(folder)
  if (list.kind === 'fault') return yield list
  yield* searchListed(list, words, options)
}

/** The same for these files, in whatever folders they are. */
export async function* searchSessionFiles(
  paths: readonly string[],
  words: string,
  options: SearchOptions = {},
): AsyncGenerator<FoundSession | UnsearchedSession> {
  yield* searchListed(await listSessionFiles(paths), words, options)
}

async function* searchListed(
  { sessions }: SessionList,
  words: string,
  options: SearchOptions,
): AsyncGenerator<FoundSession | UnsearchedSession> {
  for (const session of sessions) {
    if (options.signal?.aborted) return
    const answer = await answering(session.path, () => searchSession(session, words, options))
    if (answer.kind === 'fault') yield { kind: 'unsearched', session, fault: answer }
    else if (answer.total > 0) yield answer
  }
}

async function searchSession(
  session: ListedSession,
  words: string,
  { wordsOf, atMost = Number.POSITIVE_INFINITY, signal }: SearchOptions,
): Promise<FoundSession> {
  const query = new TextQuery(words)
  const search = new SessionSearch(query, wordsOf)
  // A file without our header may have the older format, which is one JSON object.
  if (session.summary) await readLines(session.path, search, signal)
  else await readWhole(session.path, search)
  const found = search.end(atMost)
  if (found.total > 0) return { kind: 'found', session, ...found }
  const [title] = query.linesIn(session.summary?.title ?? '')
  const matches = title ? [{ ...title, place: 'title' as const }] : []
  return { kind: 'found', session, matches, total: matches.length }
}

async function readLines(path: string, search: SessionSearch, signal?: AbortSignal): Promise<void> {
  const file = await openRegular(path, forReading)
  try {
    const splitter = new LineSplitter(maximumLineBytes)
    const take = (line: RawLine) => takeLine(path, line, search)
    for await (const chunk of chunks(file, { from: 0, to: Number.POSITIVE_INFINITY })) {
      if (signal?.aborted) return
      splitter.push(chunk, take)
    }
    const last = splitter.end()
    if (last) take(last)
  } finally {
    await file.close()
  }
}

const decoder = new TextDecoder()

function takeLine(path: string, { bytes }: RawLine, search: SessionSearch): void {
  if (!bytes || !mayMatter(bytes)) return
  const line = decoder.decode(bytes)
  if (!search.needs(line)) return
  const decoded = decodeLineBytes(bytes, line)
  if (decoded.kind === 'record') search.take(withTexts(path, decoded.record))
}

/** `{"type":"snapshot"…` and `{"type":"request"…` make up most of a file's bytes and are not even decoded. */
function mayMatter(bytes: Uint8Array): boolean {
  const start = decoder.decode(bytes.subarray(0, 20))
  return !/^\{"type":"(?:snapshot|request|intent|usage|metadata)"/.test(start)
}

function withTexts(path: string, line: SessionRecord): SessionRecord {
  return joinRecord(line, (hash) => {
    const reading = readContent(path, hash)
    return reading.kind === 'content' ? reading.text : undefined
  })
}

async function readWhole(path: string, search: SessionSearch): Promise<void> {
  const { records, log } = await loadSession(path, { readOnly: true })
  await log.file.close()
  for (const record of records.all) search.take(record)
}
