import {
  type CellRecord,
  isJsonObject,
  type Json,
  type JsonObject,
  type RecordedCall,
  type SessionCell,
  type SessionRecord,
} from '@mutsumi/schema'
import { parseJson } from '../codec/parse-json.js'
import { isCall } from '../codec/record-shape.js'

/** Provides ids and times for new records. */
export interface RecordMaker {
  /** An id that no record of the session has. */
  readonly newId: () => string
  /** The time to use if there is no other, ISO 8601. */
  readonly at: string
  /** Whether this id is free in the session. Absent: ids of other programs are not kept. */
  readonly isFree?: (id: string) => boolean
}

/** A cell's id, and the id of the cell before it. Absent: it comes last. */
export interface NewCellPlace {
  readonly id: string
  readonly after?: string | null
}

/** A cell of another program as records: its text, then its interaction. */
export function cellRecords(
  cell: SessionCell,
  place: NewCellPlace,
  maker: RecordMaker,
): readonly SessionRecord[] {
  const {
    role,
    at,
    id: _,
    shortened: __,
    given: ___,
    mutsumi_interaction: interaction,
    ...others
  } = cell.metadata ?? {}
  const record: CellRecord = {
    type: 'cell',
    id: place.id,
    at: textOr(at, maker.at),
    // Engines ignore unknown roles, and a file keeps them.
    role: textOr(role, 'user') as CellRecord['role'],
    content: contentText(cell.content),
    ...(place.after !== undefined && { after: place.after }),
    ...kept(others),
  }
  return [record, ...messageRecords(place.id, Array.isArray(interaction) ? interaction : [], maker)]
}

/**
 * The interaction of a cell as records. A user or system message in it becomes a cell of its own, unless it steered
 * the round.
 */
function messageRecords(
  cell: string,
  messages: readonly unknown[],
  maker: RecordMaker,
): readonly SessionRecord[] {
  const records: SessionRecord[] = []
  let current = cell
  let steps = 0
  for (const message of messages) {
    if (!isJsonObject(message)) continue
    if (message.role === 'assistant') steps += 1
    const record = messageRecord(message, { cell: current, step: steps }, maker)
    if (record.type === 'cell') [current, steps] = [record.id, 0]
    records.push(record)
  }
  return records
}

function messageRecord(message: JsonObject, place: StepPlace, maker: RecordMaker): SessionRecord {
  const { role } = message
  if (role === 'assistant') return stepRecord(message, place, maker)
  if (role === 'tool') return resultRecord(message, { ...place, step: Math.max(place.step, 1) }, maker)
  return role === 'user' && metadataOf(message).steered === true
    ? steerRecord(message, place, maker)
    : messageCell(message, place.cell, maker)
}

interface StepPlace {
  readonly cell: string
  readonly step: number
}

function stepRecord(
  message: JsonObject,
  { cell, step }: StepPlace,
  { newId, at }: RecordMaker,
): SessionRecord {
  const { step: own, at: said, calls, final, ...others } = metadataOf(message)
  const made = callsFrom(calls, message.tool_calls)
  return {
    type: 'step',
    id: newId(),
    at: textOr(said, at),
    cell,
    step: typeof own === 'number' ? own : step,
    content: contentText(message.content),
    ...(made.length > 0 && { calls: made }),
    ...(final === true && { final }),
    ...kept(others),
  }
}

function resultRecord(
  message: JsonObject,
  { cell, step }: StepPlace,
  { newId, at }: RecordMaker,
): SessionRecord {
  const { step: own, at: said, tool_name, call_id, observation, ...others } = metadataOf(message)
  return {
    type: 'result',
    id: newId(),
    at: textOr(said, at),
    cell,
    step: typeof own === 'number' ? own : step,
    call: textOr(call_id, textOr(message.tool_call_id, '')),
    tool: textOr(tool_name, textOr(message.name, '')),
    content: contentText(message.content),
    ...(typeof observation === 'string' && { observation }),
    ...kept(others),
  }
}

function steerRecord(
  message: JsonObject,
  { cell, step }: StepPlace,
  { newId, at }: RecordMaker,
): SessionRecord {
  const { step: own, at: said, steered: _, ...others } = metadataOf(message)
  return {
    type: 'steer',
    id: newId(),
    at: textOr(said, at),
    cell,
    step: typeof own === 'number' ? own : step,
    content: contentText(message.content),
    ...kept(others),
  }
}

function messageCell(message: JsonObject, after: string, { newId, at }: RecordMaker): CellRecord {
  const { at: said, role: _, id: __, ...others } = metadataOf(message)
  return {
    type: 'cell',
    id: newId(),
    at: textOr(said, at),
    role: textOr(message.role, 'user') as CellRecord['role'],
    content: contentText(message.content),
    after,
    ...kept(others),
  }
}

/** A content as one text. A picture becomes Markdown that is turned into a picture again. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  if (!Array.isArray(content)) return JSON.stringify(content)
  return content.map(partText).join('')
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part
  if (!isJsonObject(part)) return ''
  if (typeof part.text === 'string') return part.text
  const { image_url: image } = part
  const url = isJsonObject(image) ? image.url : image
  return typeof url === 'string' ? `![image](${url})` : JSON.stringify(part)
}

function metadataOf({ metadata }: JsonObject): Record<string, Json> {
  return isJsonObject(metadata) ? { ...metadata } : {}
}

/** The calls of a step. Older programs stored them in the providers' wire format, with arguments as text. */
function callsFrom(calls: unknown, wire: unknown): readonly RecordedCall[] {
  if (Array.isArray(calls)) return calls.filter(isCall)
  return Array.isArray(wire) ? wire.flatMap(callFromWire) : []
}

function callFromWire(call: unknown): readonly RecordedCall[] {
  if (!isJsonObject(call) || typeof call.id !== 'string' || !isJsonObject(call.function)) return []
  const { name, arguments: text } = call.function
  return typeof name === 'string' ? [{ id: call.id, name, args: parsedArguments(text) }] : []
}

/** A reply that was cut off has no complete arguments, so only the name of its call is kept. */
function parsedArguments(text: unknown): JsonObject {
  const args = typeof text === 'string' ? parseJson(text) : text
  return isJsonObject(args) ? args : {}
}

function kept(others: Readonly<Record<string, unknown>>): { metadata?: JsonObject } {
  // The value came from JSON or will be written as JSON.
  return Object.keys(others).length === 0 ? {} : { metadata: others as JsonObject }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}
