import type { ChangePreview } from '@mutsumi/host'
import type { JsonObject } from '@mutsumi/schema'
import type { PermissionQuestion } from '@mutsumi/tools'
import { argumentLines } from '../cards/argument-lines.js'
import { diffLines, firstDiffLines } from '../cards/diff.js'
import { type Line, span } from '../text/span.js'

/** The parts of a call that its question does not say in words. */
export interface QuestionDetails {
  /** The first rows. */
  readonly lines: readonly Line[]
  readonly more: number
  /** All rows, however many. */
  readonly all: () => readonly Line[]
}

const shownRows = 40

/** The diff of a change; for a call that has neither a diff nor a command, its arguments. */
export function questionDetails(
  { call, touched }: PermissionQuestion,
  preview: ChangePreview | undefined,
): QuestionDetails {
  if (preview?.kind === 'diff')
    return { ...firstDiffLines(preview.diff, shownRows), all: () => diffLines(preview.diff) }
  const lines = touched.command === undefined ? argumentLines(unsaid(call.args, touched.paths)) : []
  const shown = lines.length > shownRows + 1 ? lines.slice(0, shownRows) : lines
  return { lines: shown, more: lines.length - shown.length, all: () => lines }
}

/** The question itself names the paths. */
function unsaid(args: JsonObject, paths: readonly string[] = []): JsonObject {
  const isNamed = (value: unknown) => typeof value === 'string' && paths.includes(value)
  return Object.fromEntries(Object.entries(args).filter(([, value]) => !isNamed(value)))
}

/** Says how much more there is, and how to see it. */
export function moreDetails({ more }: QuestionDetails, say: (count: number) => string): Line[] {
  return more > 0 ? [[span(`  ${say(more)}`, { dim: true })]] : []
}
