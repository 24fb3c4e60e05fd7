import { defaultRules } from '@mutsumi/context'
import { type InitializedRules, initializeRules } from '@mutsumi/tools'

/** Writes the default rules that a workspace lacks. */
export function makeRules(root: string): InitializedRules {
  return initializeRules(root, defaultRules)
}
