import type { SessionHeader, SessionRecord } from '@mutsumi/schema'
import { type Sum, sumText } from './crc32.js'
import { headerShape, shapeOf } from './record-shape.js'

/** The first line of a session file, without its line end. */
export function encodeHeader(header: SessionHeader): string {
  return line(header, ['type', ...headerShape.map(({ name }) => name)])
}

/**
 * A record as one line, without its line end: keys in a fixed order, then fields that a newer version added, then the
 * sum.
 */
export function encodeRecord(record: SessionRecord): string {
  return encodeSummed(record)
}

/** The same, with the sum that the host provides. A record that Mutsumi did not write stays without one. */
export function encodeSummed(record: SessionRecord, sum?: Sum): string {
  return line(record, fieldOrder(record.type), sum)
}

const orders = new Map<string, readonly string[]>()

function fieldOrder(type: string): readonly string[] {
  const known = orders.get(type)
  if (known) return known
  const order = ['type', ...(shapeOf(type)?.map(({ name }) => name) ?? ['id', 'at'])]
  orders.set(type, order)
  return order
}

const added: ReadonlySet<string> = new Set(['sum', 'foreign'])

const encoder = new TextEncoder()

// Written field by field, because an object would put names that look like numbers first.
function line(value: object, order: readonly string[], sum?: Sum): string {
  const fields = new Map<string, unknown>(Object.entries(value))
  const names = [...order, ...[...fields.keys()].filter((name) => !order.includes(name) && !added.has(name))]
  const written = names.filter((name) => fields.get(name) !== undefined)
  const text = `{${written.map((name) => `${JSON.stringify(name)}:${JSON.stringify(fields.get(name))}`).join()}`
  if (fields.get('foreign') === true) return `${text}}`
  return `${text},"sum":"${sumText(encoder.encode(text), sum)}"}`
}
