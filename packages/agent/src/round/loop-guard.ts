import type { RecordedCall, ToolEffect, ToolResult } from '@mutsumi/schema'
import { agentWarningWords } from './agent-warnings.js'

/** The guard's reaction to a result: nothing, a warning to the model, or the end of the round. */
export type GuardVerdict =
  | { readonly kind: 'fine' }
  | { readonly kind: 'warn'; readonly note: string }
  | { readonly kind: 'stop'; readonly message: string }

const warnAt = 3
const stopAt = 5
const longestCycle = 4

/**
 * Detects a round that repeats itself: the same call with the same result again and again, also with other calls in
 * between, or up to four calls in turn. A command that runs again after a change does not count, even if it ends the
 * same.
 */
export class LoopGuard {
  readonly #seen = new Map<string, { count: number; change: number }>()
  readonly #cycles = new Cycles()
  #changes = 0

  judge(call: RecordedCall, result: ToolResult, effect: ToolEffect | undefined): GuardVerdict {
    const key = JSON.stringify([call.name, call.args, result.status, result.text])
    const count = this.#count(key, effect)
    const cycle = this.#cycles.add({
      name: call.name,
      key: effect === 'execute' ? `${this.#changes} ${key}` : key,
    })
    if (effect === 'write' && result.status !== 'error') this.#changes++
    if (count >= stopAt) return { kind: 'stop', message: stoppedCall(call.name, count) }
    if (cycle && isFinal(cycle)) return { kind: 'stop', message: stoppedCycle(cycle) }
    if (count >= warnAt) return { kind: 'warn', note: repeatedCall(count) }
    if (cycle && isNearlyFinal(cycle)) return { kind: 'warn', note: repeatedCycle(cycle) }
    return { kind: 'fine' }
  }

  #count(key: string, effect: ToolEffect | undefined): number {
    const known = this.#seen.get(key)
    const isAfterChange = effect === 'execute' && known !== undefined && known.change !== this.#changes
    const count = isAfterChange ? known.count : (known?.count ?? 0) + 1
    this.#seen.set(key, { count, change: this.#changes })
    return count
  }
}

interface MadeCall {
  readonly name: string
  /** The call with its result. */
  readonly key: string
}

/** Calls that repeat in turn. */
interface Cycle {
  readonly names: readonly string[]
  /** How many calls in a row repeated an earlier one. */
  readonly repeated: number
}

/**
 * As for a single call, which is stopped when four calls have repeated the first. A longer cycle must also begin its
 * third turn: after a summary, reading the same four files once more is sensible.
 */
function isFinal({ names, repeated }: Cycle): boolean {
  return repeated >= Math.max(stopAt - 1, names.length + 1)
}

function isNearlyFinal({ names, repeated }: Cycle): boolean {
  return isFinal({ names, repeated: repeated + 1 })
}

/**
 * Finds the shortest cycle of two to four calls that the calls so far end with. It compares each call only with the
 * ones two, three and four calls before it.
 *
 *     A B A B A B         stopped at the third B: four calls were repeated
 *     A B C A B C A       stopped at the third A
 *     A B C D A B C D A   the same
 */
class Cycles {
  #last: readonly MadeCall[] = []
  /** For each cycle length, how many of the newest calls equal the call that many positions before. */
  readonly #equal = new Map<number, number>()

  add(call: MadeCall): Cycle | undefined {
    let found: Cycle | undefined
    for (let length = 2; length <= longestCycle; length++) {
      const isEqual = this.#last.at(-length)?.key === call.key
      const equal = isEqual ? (this.#equal.get(length) ?? 0) + 1 : 0
      this.#equal.set(length, equal)
      if (equal >= length) found ??= { names: this.#names(length), repeated: equal }
    }
    this.#last = [...this.#last, call].slice(-longestCycle)
    return found
  }

  /** The calls of the cycle, in order. */
  #names(length: number): readonly string[] {
    const cycle = this.#last.slice(-length)
    return [...cycle.slice(1), ...cycle.slice(0, 1)].map(({ name }) => name)
  }
}

function repeatedCall(count: number): string {
  return `This is call number ${count} with these arguments and this result. It will not change: do something else, or finish with what you know.`
}

function stoppedCall(name: string, count: number): string {
  return agentWarningWords('same-call-again', name, count).message
}

function repeatedCycle({ names }: Cycle): string {
  return `You are making the calls ${names.join(', ')} in turn, and their results do not change: do something else, or finish with what you know.`
}

function stoppedCycle({ names, repeated }: Cycle): string {
  const turns = Math.ceil((names.length + repeated) / names.length)
  return agentWarningWords('same-calls-again', names.join(', '), turns).message
}
