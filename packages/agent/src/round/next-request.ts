import { type ContextReport, type HistoryReport, reportContext } from '@mutsumi/context'
import { type MessageTokens, nextTokens } from '@mutsumi/context/parts'
import { type AgentMessage, type ItemAct, textOf } from '@mutsumi/schema'
import type { SentMessage } from '@mutsumi/session'
import { canonicalText, sentMessage } from '@mutsumi/session/parts'
import type { AgentHost } from './agent-host.js'
import { countTools } from './count-tools.js'

/** The next request, before anything is typed. */
export interface NextRequest extends ContextReport {
  readonly history: HistoryReport
  /** Its tokens by the count that decides about compaction: the provider's last count and the estimate since then. */
  readonly weight: number
}

export interface NextRequestOptions {
  /** Acts that are not recorded yet, to see the request after them. */
  readonly acts?: readonly ItemAct[]
}

/** Builds the next request between two rounds. It runs nothing, asks no model and records nothing. */
export async function nextRequest(
  { engine, log, tokens, usage, protocol, cache: { state: cache } }: AgentHost,
  { acts = [] }: NextRequestOptions = {},
): Promise<NextRequest> {
  const { session: recorded } = log
  const session = acts.length === 0 ? recorded : { ...recorded, acts: [...(recorded.acts ?? []), ...acts] }
  const cell = session.cells.length
  const context = await engine.assemble(session, cell, '', { dryRun: true, cache })
  const tools = countTools(protocol.request([]).tools, tokens)
  const estimate = tokens.total(context.messages) + tools
  return {
    ...reportContext(context, engine, { tools }),
    history: engine.reportHistory(session, cell, { cache }),
    weight: nextTokens({ ...usage.weigh(estimate), estimate }),
  }
}

/** Tokens at the beginning of a request that are the same as in the last sent one, so that a cache may have them. */
export function sharedTokens(
  sent: readonly SentMessage[],
  messages: readonly AgentMessage[],
  tokens: MessageTokens,
): number {
  const isSame = (message: AgentMessage, before: SentMessage | undefined) =>
    before !== undefined && canonicalText(before) === canonicalText(sentMessage(message))
  const differs = messages.findIndex((message, at) => !isSame(message, sent[at]))
  if (differs === -1) return tokens.total(messages)
  const [next, before] = [messages[differs], sent[differs]]
  const part = next && before && next.role === before.role ? sharedStart(textOf(next), contentOf(before)) : ''
  return tokens.total(messages.slice(0, differs)) + tokens.count(part)
}

function contentOf({ content }: SentMessage): string {
  return typeof content === 'string' ? content : ''
}

function sharedStart(one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return one.slice(0, at)
}
