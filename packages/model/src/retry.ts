import type { ModelFault } from '@mutsumi/schema'
import { cancelled } from './faults/fault-error.js'

export interface RetryPlan {
  /** The total number of tries. */
  readonly tries: number
  /** Wait before the second try, in milliseconds; it doubles for each further try. */
  readonly firstWaitMs: number
  /** If a server asks for a longer wait, the request fails. */
  readonly longestWaitMs: number
  /** 0 to 1, for the jitter. */
  readonly random: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export const defaultRetryPlan: RetryPlan = {
  tries: 4,
  firstWaitMs: 500,
  longestWaitMs: 60_000,
  random: Math.random,
  sleep,
}

/** How long to wait after try number `tried` failed; undefined: give up. */
export function waitBeforeRetry(fault: ModelFault, tried: number, plan: RetryPlan): number | undefined {
  if (tried >= plan.tries) return undefined
  const asked = fault.retryAfterMs
  if (asked !== undefined) return asked > plan.longestWaitMs ? undefined : asked
  const backoff = plan.firstWaitMs * 2 ** (tried - 1)
  // Between half and all of it, so that clients that failed together do not retry together.
  return Math.round(backoff * (0.5 + plan.random() / 2))
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) throw cancelled()
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(cancelled())
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
