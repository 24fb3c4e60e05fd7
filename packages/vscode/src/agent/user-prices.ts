import { type Assignment, costOf, givenSettings, readConfigFiles, settledRun } from '@mutsumi/host'
import type { PriceOf } from '../notebook/round-usage.js'

/** The prices of requests; undefined if the price of one is not known. */
export interface UserPrices {
  /** Of a request that is answered now. */
  readonly now: PriceOf
  /**
   * Of a request that a session records, by its model and day. The prices in the settings belong to no model and no day, so
   * they say nothing about it.
   */
  readonly recorded: PriceOf
}

/** The user's prices of tokens: from the editor's settings and the user's own config, never from a folder's. */
export function userPrices(root: string, user: readonly Assignment[]): UserPrices {
  const place = { root, trusted: false }
  const config = { ...readConfigFiles(place, () => undefined), project: {} }
  const { settings } = settledRun({ given: givenSettings(user, config, root), config, place })
  const byTable = { ...settings, cost: { ...settings.cost, input: 0, output: 0 } }
  return {
    now: (usage, asked) => (isFree(asked.model) ? undefined : costOf(usage, settings, asked)),
    recorded: (usage, asked) => (isFree(asked.model) ? undefined : costOf(usage, byTable, asked)),
  }
}

/** It answers without a provider. */
function isFree(model: string | undefined): boolean {
  return model === 'offline'
}
