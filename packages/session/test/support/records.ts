import { createHash } from 'node:crypto'
import type {
  AgentMetadata,
  CellRecord,
  EditRecord,
  IntentRecord,
  RecordedCall,
  ResultRecord,
  SessionHeader,
  SessionRecord,
  SnapshotRecord,
  SteerRecord,
  StepRecord,
} from '@mutsumi/schema'
import { type DecodedSession, decodeSession, encodeHeader, encodeRecord } from '@mutsumi/session'
import { shapeOf } from '../../src/codec/record-shape.js'

/** The time of everything that happens in a test. */
export const at = '2026-01-02T03:04:05.000Z'

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** Ids in a row: `n1`, `n2` … */
export function countedIds(prefix = 'n'): () => string {
  let count = 0
  return () => `${prefix}${++count}`
}

export function header(metadata: AgentMetadata = {}): SessionHeader {
  return { type: 'session', format: 'mutsumi', version: 1, id: 's1', created: at, metadata }
}

export function cell(id: string, content: string, others: Partial<CellRecord> = {}): CellRecord {
  return { type: 'cell', id, at, role: 'user', content, ...others }
}

export function step(
  id: string,
  cell: string,
  content: string,
  others: Partial<StepRecord> = {},
): StepRecord {
  return { type: 'step', id, at, cell, step: 1, content, ...others }
}

export function steer(id: string, cell: string, content: string, step = 1): SteerRecord {
  return { type: 'steer', id, at, cell, step, content }
}

export function call(id: string, name = 'Read', args: RecordedCall['args'] = { path: 'a.ts' }): RecordedCall {
  return { id, name, args }
}

export function intent(id: string, cell: string, made: RecordedCall, step = 1): IntentRecord {
  return { type: 'intent', id, at, cell, step, call: made }
}

export function result(
  id: string,
  cell: string,
  answers: string,
  others: Partial<ResultRecord> = {},
): ResultRecord {
  const content = '{"status":"success","data":{}}'
  return { type: 'result', id, at, cell, step: 1, call: answers, tool: 'Read', content, ...others }
}

export function edit(id: string, cell: string, change: Partial<EditRecord>): EditRecord {
  return { type: 'edit', id, at, cell, ...change }
}

export function snapshot(id: string, content: string): SnapshotRecord {
  return { type: 'snapshot', id, at, hash: sha256(content), size: Buffer.byteLength(content), content }
}

/** A session file as its writer leaves it. */
export function fileOf(records: readonly SessionRecord[], head = header()): string {
  return `${[encodeHeader(head), ...records.map(encodeRecord)].join('\n')}\n`
}

/** Decodes what must be a session. */
export function opened(text: Parameters<typeof decodeSession>[0]): DecodedSession {
  const decoded = decodeSession(text)
  if (decoded.kind !== 'session') throw new Error(`it is no session: ${JSON.stringify(decoded)}`)
  return decoded
}

/** A session that was written by hand, with the checksums that Mutsumi would have written. */
export function summed(text: string): string {
  return text.replace(/^\{.*\}$/gm, (line) => {
    const value: unknown = JSON.parse(line)
    // The test says what is a record.
    const record = value as SessionRecord | SessionHeader
    if (record.type === 'session') return encodeHeader(record)
    return shapeOf(record.type) ? encodeRecord(record) : line
  })
}
