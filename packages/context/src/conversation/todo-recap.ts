import { type AgentMessage, isJsonObject, toolNameOf } from '@mutsumi/schema'
import { readGiven } from '../kept-results/given-result.js'
import { withoutTags } from '../text/without-tags.js'

/** The todo line of a request: the recap while an item is pending or in progress, otherwise nothing. */
export function unfinishedRecap(recap: string): string {
  return unfinished.test(recap) ? withoutTags(recap) : ''
}

/** `[1/3] In progress: X. Pending: a; b.`: the item in progress comes first, cancelled items last. */
const unfinished = /^\[\d+\/\d+\] (?:In progress|Pending): /

/** The recap of the newest list that these steps wrote; undefined if they wrote none. */
export function newestRecap(steps: readonly AgentMessage[]): string | undefined {
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index]
    const recap = step && isTodoList(step) ? recapOf(step) : undefined
    if (recap !== undefined) return recap
  }
  return undefined
}

/** Notebooks may have been edited by hand, so it may be anything. */
export function isTodoList(step: AgentMessage): boolean {
  return isJsonObject(step) && step.role === 'tool' && toolNameOf(step) === 'TodoWrite'
}

/** A refused list does not replace the previous one. */
function recapOf({ content }: AgentMessage): string | undefined {
  const { result } = typeof content === 'string' ? readGiven(content) : {}
  const recap =
    result && result.status !== 'error' && isJsonObject(result.data) ? result.data.recap : undefined
  return typeof recap === 'string' ? recap : undefined
}
