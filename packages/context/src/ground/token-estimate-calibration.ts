import { isJsonObject } from '@mutsumi/schema'
import type { TokenCounter } from './ports.js'

/** The error of a counter, learnt from reported usage. It is plain data, stored with a session. */
export interface UsageCalibration {
  /** Reported tokens per estimated token, smoothed. */
  readonly ratio: number
  /** How many replies it was learnt from. */
  readonly replies: number
}

export const uncalibrated: UsageCalibration = { ratio: 1, replies: 0 }

/** Limits, so that wrong reports cannot make every request look tiny or too large to send. */
const smallest = 0.5
const largest = 2
/** The weight of the newest reply. */
const weight = 0.3
/** In a smaller request, parts that are not estimated, such as message framing, matter too much. */
const fewestTokens = 200

/** Learns from one reply. `estimated` is the request's size by the counter alone, before any calibration. */
export function recalibrate(
  calibration: UsageCalibration,
  { estimated, reported }: { readonly estimated: number; readonly reported: number },
): UsageCalibration {
  const ratio = reported / estimated
  if (!(estimated >= fewestTokens && reported > 0 && Number.isFinite(ratio))) return calibration
  const { ratio: before, replies } = calibration
  const smoothed = replies === 0 ? within(ratio) : before + weight * (within(ratio) - before)
  return { ratio: within(smoothed), replies: replies + 1 }
}

/** The counter, corrected. */
export function calibratedCounter(counter: TokenCounter, { ratio }: UsageCalibration): TokenCounter {
  return { count: (text) => Math.ceil(counter.count(text) * ratio) }
}

/** A saved calibration; invalid data counts as nothing learnt. */
export function readCalibration(saved: unknown): UsageCalibration {
  if (!isJsonObject(saved)) return uncalibrated
  const { ratio, replies } = saved
  if (typeof ratio !== 'number' || !Number.isFinite(ratio)) return uncalibrated
  if (typeof replies !== 'number' || !Number.isSafeInteger(replies) || replies < 1) return uncalibrated
  return { ratio: within(ratio), replies }
}

function within(ratio: number): number {
  return Math.min(largest, Math.max(smallest, ratio))
}
