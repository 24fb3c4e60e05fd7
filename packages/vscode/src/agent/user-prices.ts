import { type Assignment, costOf, givenSettings, readConfigFiles, settledRun } from '@mutsumi/host'
import type { PriceOf } from '../notebook/round-usage.js'

/** The user's prices of tokens: from the editor's settings and the user's own config, never from a folder's. */
export function userPrices(root: string, user: readonly Assignment[]): PriceOf {
  const place = { root, trusted: false }
  const config = { ...readConfigFiles(place, () => undefined), project: {} }
  const { settings } = settledRun({ given: givenSettings(user, config, root), config, place })
  return (usage, asked) => costOf(usage, settings, asked)
}
