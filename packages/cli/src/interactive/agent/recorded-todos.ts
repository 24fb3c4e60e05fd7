import { callsOf, type JsonObject, type SessionCell } from '@mutsumi/schema'

/** The arguments of the newest task list that a session has. */
export function newestTodoList(cells: readonly SessionCell[]): JsonObject | undefined {
  for (const { metadata } of cells.toReversed())
    for (const message of (metadata?.mutsumi_interaction ?? []).toReversed()) {
      const call = callsOf(message).findLast(({ name }) => name === 'TodoWrite')
      if (call) return call.args
    }
  return undefined
}
