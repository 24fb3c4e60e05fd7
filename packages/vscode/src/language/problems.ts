import { MentionScanner } from '@mutsumi/context/parts'
import type { Warning } from '@mutsumi/schema'
import { macroPlaces } from './macro-places.js'
import { referencePlaces } from './reference-places.js'

/** A problem at a place in a text. */
export interface PromptProblem {
  readonly from: number
  readonly to: number
  readonly message: string
  readonly code: string
}

/** The engine's warnings about a text, each with the whole reference, command or name that it is about. */
export function problemsIn(
  text: string,
  warnings: readonly Warning[],
  source: string,
): readonly PromptProblem[] {
  const spans = [...referencePlaces(text), ...macroPlaces(text)]
  const starts = lineStarts(text)
  return (
    warnings
      // A command that does not exist is the first word, and has no line.
      .filter(({ source: of, line, code }) => of === source && (line !== undefined || code === 'command'))
      .map(({ line = 1, column = 1, message, code }) => {
        const at = Math.min(text.length, (starts[line - 1] ?? 0) + column - 1)
        const span =
          code === 'mention-missing'
            ? mentionSpan(text, at)
            : spans.find(({ from, to }) => from - 2 <= at && at < to)
        const from = span?.from ?? at
        return { from, to: span?.to ?? wordEnd(text, at), message, code }
      })
  )
}

/** Warnings about other documents, each at the first reference that includes its document. */
export function includedProblems(
  text: string,
  warnings: readonly Warning[],
  source: string,
): readonly PromptProblem[] {
  const included = new Map(
    referencePlaces(text)
      .toReversed()
      .flatMap((place) => (place.reference.kind === 'path' ? [[place.reference.path, place] as const] : [])),
  )
  return warnings.flatMap(({ source: of, message, code }) => {
    const place = of === source ? undefined : included.get(of)
    return place ? [{ from: place.from, to: place.to, message: `${of}: ${message}`, code }] : []
  })
}

/** The `@path` at an offset, without the punctuation after it. */
function mentionSpan(text: string, at: number): Pick<PromptProblem, 'from' | 'to'> | undefined {
  const site = new MentionScanner(text).next(at)
  const end = site?.candidates.find(({ path }) => path === site.written)?.end
  return site?.at === at && end !== undefined ? { from: at, to: end } : undefined
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
}

function wordEnd(text: string, at: number): number {
  const [word = ''] = /^\S+/.exec(text.slice(at, at + 500)) ?? []
  return at + Math.max(1, word.length)
}
