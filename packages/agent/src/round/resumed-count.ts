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
  const { requests, usage } = file.facts
  const last = requests.findLast(({ id, purpose }) => purpose === undefined && usage.has(id))
  const counted = last && usage.get(last.id)
  if (!last || !counted) return undefined
  return {
    tokens: counted.input + counted.output,
    threshold: compactionThreshold(weighing.settings),
    load: () => loadCount(file, { request: last, counted }, weighing),
  }
}

function loadCount(
  file: SessionFile,
  { request, counted }: { readonly request: RequestRecord; readonly counted: UsageRecord },
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
