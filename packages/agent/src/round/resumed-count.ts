import { type ContextSettings, compactionThreshold, type MessageTokens } from '@mutsumi/context'
import { type AgentMessage, isRole } from '@mutsumi/schema'
import { replayRequest, type SentMessage } from '@mutsumi/session'
import { type SessionFile, sha256 } from '@mutsumi/session/node'
import { countTools } from './count-tools.js'
import { believedUsage, type CountedRequest } from './usage-memory.js'

/**
 * What the provider counted for the last request of a session that goes on in a new process. The request is built
 * again to know what we estimate for it; that takes as long as the session is, so it is done only where the count comes
 * near the threshold. The reply is not among it: its answer counts as new.
 */
export function resumedCount(
  file: SessionFile,
  { settings, tokens }: { readonly settings: ContextSettings; readonly tokens: MessageTokens },
): CountedRequest | undefined {
  const { requests, usage } = file.facts
  const last = requests.findLast(({ id, purpose }) => purpose === undefined && usage.has(id))
  const counted = last ? (usage.get(last.id)?.input ?? 0) : 0
  if (!last || counted < compactionThreshold(settings) / 2) return undefined
  const replay = replayRequest(
    file.records,
    { id: last.id },
    { textOf: (hash) => file.snapshotText(hash), hash: sha256 },
  )
  // What cannot be built again is estimated anew.
  if (replay.kind !== 'request') return undefined
  const estimate = tokens.total(replay.messages.flatMap(asMessage)) + countTools(replay.sent?.tools, tokens)
  const { input } = believedUsage({ input: counted, output: 0 }, { estimate, window: settings.contextWindow })
  return { tokens: input, estimate }
}

function asMessage({ role, content, calls }: SentMessage): readonly AgentMessage[] {
  return isRole(role) ? [{ role, content, ...(calls ? { metadata: { calls } } : {}) }] : []
}
