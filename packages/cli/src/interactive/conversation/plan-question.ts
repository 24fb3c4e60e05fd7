import type { PermissionMode } from '@mutsumi/schema'
import type { Asker } from '../picker/asker.js'
import type { Words } from '../words/words.js'

/** Asks whether to carry out a plan. Returns the mode to carry it out in; undefined to go on planning. */
export function askAboutPlan(
  ask: Asker,
  { modes }: Words,
  steps: number,
): Promise<PermissionMode | undefined> {
  return ask.choose<PermissionMode | undefined>({
    title: modes.plan.title(steps),
    choices: [
      { value: 'edits', label: modes.plan.edits },
      { value: 'ask', label: modes.plan.ask },
      { value: undefined, label: modes.plan.keep },
    ],
    isNumbered: true,
    isUnexpected: true,
  })
}
