import type { RecordedCall, ResultRecord, SessionRecord } from '@mutsumi/schema'
import { withTextOf } from '../codec/placed-text.js'
import type { SentMessage } from './sent-message.js'

/** A message in a record: a cell's text, a step, or a result as history keeps it. */
export interface RecordedMessage extends SentMessage {
  readonly content: string
  /** The tool that returned a result. */
  readonly tool?: string
  /** The hash of a result as its round saw it. */
  readonly observation?: string
  /** The hash of its text, which is missing from the folder beside the file. */
  readonly missing?: string
}

/** The messages in records, by the records' ids, as they are after the last added record. */
export class RecordedMessages {
  readonly #messages = new Map<string, RecordedMessage>()

  /** Returns the id of the message that the record contains or changes, if there is one. */
  add(record: SessionRecord): string | undefined {
    const id = record.type === 'edit' ? record.cell : record.id
    const message = this.#heldBy(record)
    if (!message) return undefined
    const missing = missingIn(record)
    this.#messages.set(id, missing === undefined ? message : { ...message, missing })
    return id
  }

  get(id: string): RecordedMessage | undefined {
    return this.#messages.get(id)
  }

  #heldBy(record: SessionRecord): RecordedMessage | undefined {
    switch (record.type) {
      case 'cell':
        return { role: sentRole(record.role), content: record.content }
      case 'step':
        return stepMessage(record.content, record.calls)
      case 'steer':
        return { role: 'user', content: record.content }
      case 'result': {
        return withTextOf(record, { role: 'tool' }, aboutResult(record))
      }
      case 'edit': {
        const before = this.#messages.get(record.cell) ?? { role: 'user', content: '' }
        const { content = before.content, role = before.role } = record
        const { missing } = record.content === undefined ? before : {}
        return { role: sentRole(role), content, ...(missing !== undefined && { missing }) }
      }
      default:
        return undefined
    }
  }
}

// Thousands of these are made when a session is opened, and objects that are written out are made fastest.

function stepMessage(content: string, calls: readonly RecordedCall[] | undefined): RecordedMessage {
  return calls?.length ? { role: 'assistant', content, calls } : { role: 'assistant', content }
}

function aboutResult({ tool, call, observation }: ResultRecord): Omit<RecordedMessage, 'role' | 'content'> {
  if (!observation) return call ? { tool, call_id: call } : { tool }
  return call ? { tool, call_id: call, observation } : { tool, observation }
}

/** The hash of a missing text of the record; its own id if a part of its own content is missing. */
function missingIn(record: SessionRecord): string | undefined {
  if ('stored' in record && record.stored !== undefined) return record.stored
  const text = record.type === 'step' ? record.texts?.[0] : undefined
  return text && ('stored' in text ? text.stored : record.id)
}

/** Summaries are stored under their own role and sent as `system`. */
function sentRole(role: string): string {
  return role === 'summary' ? 'system' : role
}
