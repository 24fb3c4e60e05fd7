import { createHash } from 'node:crypto'
import type { Session, SessionHeader, SessionRecord } from '@mutsumi/schema'
import {
  type DecodedSession,
  decodeSession,
  olderNames,
  olderSession,
  type SessionFacts,
  SessionFold,
} from '@mutsumi/session'
import { joinRecord, sessionHeader } from '@mutsumi/session/parts'

/** A session file as a notebook opens it. */
export interface OpenedNotebook {
  readonly bytes: Uint8Array
  readonly header: SessionHeader
  readonly records: readonly SessionRecord[]
  readonly session: Session
  readonly facts: SessionFacts
  /** The reasons why nothing may be written to the file, one per line. Empty if the file is valid. */
  readonly problems: readonly string[]
  /** The file is empty or has the older format, so the first save writes all of it. */
  readonly isRewritten: boolean
  /** The last line has no line end. */
  readonly endsOpen: boolean
}

/** Tools that only a host can provide. */
export interface OpenTools {
  readonly newId: () => string
  readonly now: () => string
  /** A text that is stored beside the file. */
  readonly readText?: (hash: string) => string | undefined
}

/** Reads a session file. It never throws because of the file's content. */
export function openNotebook(bytes: Uint8Array, tools: OpenTools): OpenedNotebook {
  if (bytes.every(isBlank)) return fromRecords(bytes, headerFor(tools), [], { isRewritten: true })
  const decoded = decodeSession([bytes])
  if (decoded.kind === 'session') return fromSession(bytes, decoded, tools)
  if (decoded.kind === 'older') {
    // A round that opens the file finds the same ids.
    const hash = createHash('sha256').update(JSON.stringify(decoded.value)).digest('hex')
    const { header, records } = olderSession(decoded.value, { at: tools.now(), ...olderNames(hash) })
    return fromRecords(bytes, header, records, { isRewritten: true })
  }
  return fromRecords(bytes, headerFor(tools), [], { problems: [decoded.message] })
}

function headerFor({ newId, now }: OpenTools): SessionHeader {
  return sessionHeader({ id: newId(), created: now() })
}

function fromSession(bytes: Uint8Array, decoded: DecodedSession, { readText }: OpenTools): OpenedNotebook {
  const records = decoded.records.map((line) => joinRecord(line, (hash) => readText?.(hash)))
  return fromRecords(bytes, decoded.header, records, {
    problems: problemsOf(decoded),
    endsOpen: decoded.endsOpen === true,
  })
}

function fromRecords(
  bytes: Uint8Array,
  header: SessionHeader,
  records: readonly SessionRecord[],
  {
    problems = [],
    isRewritten = false,
    endsOpen = false,
  }: Partial<Pick<OpenedNotebook, 'problems' | 'isRewritten' | 'endsOpen'>>,
): OpenedNotebook {
  const fold = new SessionFold(header)
  for (const record of records) fold.add(record)
  const { session, facts } = fold
  return { bytes, header, records, session, facts, problems, isRewritten, endsOpen }
}

function problemsOf({ headerLost, damage, torn, conflicts }: DecodedSession): readonly string[] {
  return [
    ...(headerLost ? ['line 1: the header could not be read'] : []),
    ...damage.map(({ line, reason }) => `line ${line}: ${reason}`),
    ...conflicts.map(({ markers, message }) => `line ${markers[0] ?? 1}: ${message}`),
    ...(torn ? [`line ${torn.line}: ${torn.reason}`] : []),
  ]
}

function isBlank(byte: number): boolean {
  return byte === 10 || byte === 13 || byte === 32 || byte === 9
}
