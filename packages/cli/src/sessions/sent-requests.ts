import type { UsageRecord } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { roundNumbers } from './round-numbers.js'

/** A request that was sent, as the list of them names it. */
export interface SentRequest {
  readonly id: string
  /** Absent where the cell that it answered was deleted. */
  readonly round?: number
  /** Counted among the requests of its purpose. */
  readonly request: number
  /** What it was sent for, where that is not the answer itself. */
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
