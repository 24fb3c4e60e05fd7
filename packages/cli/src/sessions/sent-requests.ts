import type { UsageRecord } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { roundNumbers } from './round-numbers.js'

/** A sent request in the list of requests. */
export interface SentRequest {
  readonly id: string
  /** Absent if its cell was deleted. */
  readonly round?: number
  /** Counted per purpose. */
  readonly request: number
  /** Its purpose, if it is not the answer itself. */
  readonly purpose?: 'summary'
  readonly at: string
  readonly model?: string
  readonly tokens?: Pick<UsageRecord, 'input' | 'output' | 'cached' | 'written'>
}

export function sentRequests({
  session,
  facts,
}: Pick<SessionFile, 'session' | 'facts'>): readonly SentRequest[] {
  const rounds = roundNumbers(session.cells)
  return facts.requests.map(({ id, cell, number, at, model, purpose }) => {
    const round = rounds.get(cell)
    const usage = facts.usage.get(id)
    return {
      id,
      ...(round === undefined ? {} : { round }),
      request: number,
      ...(purpose === undefined ? {} : { purpose }),
      at,
      ...(model === undefined ? {} : { model }),
      ...(usage ? { tokens: tokensOf(usage) } : {}),
    }
  })
}

function tokensOf({ input, output, cached, written }: UsageRecord): NonNullable<SentRequest['tokens']> {
  return {
    input,
    output,
    ...(cached === undefined ? {} : { cached }),
    ...(written === undefined ? {} : { written }),
  }
}
