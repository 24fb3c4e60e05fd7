import type { SessionEvent } from '@mutsumi/context/parts'
import type { SessionRecord } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import type { WeighedRequest } from '@mutsumi/session/parts'

/**
 * The events of a session, from its records. Items that came with a message are part of its text. A message to a
 * running round counts as one that begins a round.
 */
export function recordedEvents(
  file: Pick<SessionFile, 'records' | 'snapshotText'>,
  weighed: readonly WeighedRequest[],
): readonly SessionEvent[] {
  const asked = new Map<string, number>()
  for (const { cell, asked: size } of weighed) if (!asked.has(cell)) asked.set(cell, size)
  return file.records.flatMap((record) => eventOf(record, { file, asked }) ?? [])
}

interface EventFacts {
  readonly file: Pick<SessionFile, 'snapshotText'>
  /** Characters of each cell's message as its first request had it. */
  readonly asked: ReadonlyMap<string, number>
}

function eventOf(record: SessionRecord, { file, asked }: EventFacts): SessionEvent | undefined {
  const { at } = record
  switch (record.type) {
    case 'cell': {
      const { role, content: text, id } = record
      const items = Math.max(0, (asked.get(id) ?? 0) - text.length)
      return role === 'user' ? { kind: 'user', at, text: text + ' '.repeat(items) } : undefined
    }
    case 'steer':
      return { kind: 'user', at, text: record.content }
    case 'request': {
      const { model, purpose } = record
      return purpose ? undefined : { kind: 'request', at, ...(model !== undefined && { model }) }
    }
    case 'step': {
      const { content: text, calls, final = false } = record
      return { kind: 'reply', at, text, final, ...(calls && { calls }) }
    }
    case 'result': {
      const { tool, call, content, observation } = record
      const whole = observation === undefined ? undefined : file.snapshotText(observation)
      return {
        kind: 'result',
        at,
        tool,
        call,
        content: whole ?? content,
        ...(observation && { observation }),
      }
    }
    default:
      return undefined
  }
}
