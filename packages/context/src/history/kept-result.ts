import { isJsonObject, type JsonObject, recallId } from '@mutsumi/schema'
import { readGiven } from '../kept-results/given-result.js'
import type { ToolResultCompressor } from '../kept-results/tool-result-compressor.js'
import { resultText } from '../sent-results/result-text.js'

/** A tool's result, and where it is recorded. */
export interface ResultToKeep {
  readonly tool: string
  readonly result: unknown
  /** The arguments of the call, if the result does not contain them. */
  readonly args?: JsonObject | undefined
  /** The hash of the result as its round saw it; absent if that is not stored. */
  readonly observation?: string | undefined
}

/** The part of a result that history keeps. If it is less than its round saw, it contains the id that Recall takes. */
export function keptResult(compressor: ToolResultCompressor, given: ResultToKeep): string {
  const { tool, result } = given
  const options = given.args ? { args: given.args } : {}
  const kept = compressor.compress(tool, result, options)
  const named = withRecall(given)
  if (named === undefined) return kept
  const whole = compressor.observe(tool, result)
  if (resultText(tool, kept) === resultText(tool, whole)) return kept
  const found = compressor.compress(tool, named, options)
  return found.length <= whole.length ? found : kept
}

/** The result with its Recall id added to the data; undefined if it needs none or has no place for it. */
export function withRecall({ tool, result, observation }: ResultToKeep): JsonObject | undefined {
  const { value } = readGiven(result)
  if (observation === undefined || !isJsonObject(value) || !isJsonObject(value.data)) return undefined
  if (hasWayBack(tool, value.data)) return undefined
  return { ...value, data: { ...value.data, recall: recallId(observation) } }
}

/** The result already says how to get the rest: the full text is stored separately, or the tool returns it again. */
function hasWayBack(tool: string, data: JsonObject): boolean {
  return tool === 'Skill' || ['recall', 'observation_id'].some((name) => Object.hasOwn(data, name))
}
