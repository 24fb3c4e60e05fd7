import type { JsonObject } from '@mutsumi/schema'
import type { Line } from '../text/span.js'
import { argumentLines } from './argument-lines.js'
import { diffLines } from './diff.js'

/** The diff of a change as the model read it, and all that can be opened. */
export interface AppliedChange {
  readonly lines: readonly Line[]
  readonly all: readonly Line[]
}

/** If the diff was cut for the model, everything that its call asked for can be opened too. */
export function appliedChange(diff: string, args: JsonObject): AppliedChange {
  const lines = diff === '' ? [] : diffLines(diff)
  return { lines, all: isCut(diff) ? [...lines, [], ...argumentLines(args)] : lines }
}

function isCut(diff: string): boolean {
  return diff.slice(diff.lastIndexOf('\n') + 1).startsWith('… (')
}
