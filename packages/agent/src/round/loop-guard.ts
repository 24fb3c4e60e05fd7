import type { RecordedCall, ToolEffect, ToolResult } from '@mutsumi/schema'

/** What the guard makes of a result: nothing, a word to the model, or the end of the round. */
export type GuardVerdict =
  | { readonly kind: 'fine' }
  | { readonly kind: 'warn'; readonly note: string }
  | { readonly kind: 'stop'; readonly message: string }

const warnAt = 3
const stopAt = 5

/**
 * Sees when a round goes in circles: the same call with the same result again and again, also with others between. A
 * command that is run again after something was changed is no circle, even if it ends the same.
 */
export class LoopGuard {
  readonly #seen = new Map<string, { count: number; change: number }>()
  #changes = 0

  judge({ name, args }: RecordedCall, result: ToolResult, effect: ToolEffect | undefined): GuardVerdict {
    const key = JSON.stringify([name, args, result.status, result.text])
    const known = this.#seen.get(key)
    const isAfterChange = effect === 'execute' && known !== undefined && known.change !== this.#changes
    const count = isAfterChange ? known.count : (known?.count ?? 0) + 1
    this.#seen.set(key, { count, change: this.#changes })
    if (effect === 'write' && result.status !== 'error') this.#changes++
    if (count >= stopAt)
      return {
        kind: 'stop',
        message: `stopped: ${name} was called ${count} times with the same arguments and gave the same result each time`,
      }
    if (count < warnAt) return { kind: 'fine' }
    return {
      kind: 'warn',
      note: `This is call number ${count} with these arguments and this result. It will not change: do something else, or finish with what you know.`,
    }
  }
}
