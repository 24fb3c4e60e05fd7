import type { ContextSettings } from '@mutsumi/context'
import { compactionThreshold, type MessageTokens, renderResult } from '@mutsumi/context/parts'
import {
  type AgentMessage,
  isRole,
  type RequestRecord,
  type SessionRecord,
  type UsageRecord,
} from '@mutsumi/schema'
import { replayRequest, type SentMessage } from '@mutsumi/session'
import { type SessionFile, sha256 } from '@mutsumi/session/node'
import { countTools } from './count-tools.js'
import { believedUsage, type CountedReply, type ResumedCount } from './usage-memory.js'

interface Weighing {
  readonly settings: ContextSettings
  readonly tokens: MessageTokens
}

/** The provider's count for the last reply of a session that continues in a new process. */
export function resumedCount(file: SessionFile, weighing: Weighing): ResumedCount | undefined {
  const last = lastCounted(file)
  if (!last) return undefined
  return {
    request: last.request.id,
    tokens: last.counted.input + last.counted.output,
    threshold: compactionThreshold(weighing.settings),
    load: () => loadCount(file, last, weighing),
  }
}

interface CountedRecords {
  readonly request: RequestRecord
  readonly counted: UsageRecord
}

/** The newest request of a round that was counted. Counts follow their requests. */
function lastCounted(file: SessionFile): CountedRecords | undefined {
  const usage = new Map<string, UsageRecord>()
  for (const record of file.newestRecords('request', 'usage')) {
    if (record.type === 'usage') {
      if (!usage.has(record.request)) usage.set(record.request, record)
      continue
    }
    const counted = record.purpose === undefined ? usage.get(record.id) : undefined
    if (counted) return { request: record, counted }
  }
  return undefined
}

function loadCount(
  file: SessionFile,
  { request, counted }: CountedRecords,
  { settings, tokens }: Weighing,
): CountedReply | undefined {
  const replay = replayRequest(
    file.records,
    { id: request.id },
    { textOf: (hash) => file.snapshotText(hash), hash: sha256, render: renderResult },
  )
  // A request that cannot be rebuilt is estimated again.
  if (replay.kind !== 'request') return undefined
  const estimate = tokens.total(replay.messages.flatMap(asMessage)) + countTools(replay.sent?.tools, tokens)
  const { input, output } = counted
  const usage = believedUsage({ input, output }, { estimate, window: settings.contextWindow })
  return { usage, request: estimate, reply: tokens.total(replyTo(request, file)) }
}

/** The reply as later requests show it; undefined if none of it was kept. */
function replyTo({ id, cell }: RequestRecord, { records }: SessionFile): readonly AgentMessage[] {
  const after = records.slice(records.findIndex((record) => record.id === id) + 1)
  const next = after.find(
    (record) => (record.type === 'step' || isOwnRequest(record)) && record.cell === cell,
  )
  if (next?.type !== 'step') return []
  const { content, calls } = next
  return [{ role: 'assistant', content, ...(calls && { metadata: { calls } }) }]
}

function isOwnRequest(record: SessionRecord): record is RequestRecord {
  return record.type === 'request' && record.purpose === undefined
}

function asMessage({ role, content, calls }: SentMessage): readonly AgentMessage[] {
  return isRole(role) ? [{ role, content, ...(calls ? { metadata: { calls } } : {}) }] : []
}
