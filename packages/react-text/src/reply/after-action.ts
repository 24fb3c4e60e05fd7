import { afterClosing } from './foreign-call.js'
import { markerAt, nextLine, skipBlank } from './markers.js'

/**
 * Why an action that ends at `end` is not carried out: other text follows it. A result that the model made up may
 * follow, with everything built on it; both are dropped.
 *
 *     Action: Read[{"path":"a.ts"}]
 *     Observation: empty                    ← made up: the action runs
 *
 *     Action: Bash[{"command":"rm -r ."}]
 *     which I will not do                   ← quoted: nothing runs
 */
export function goingOn(text: string, end: number): string | undefined {
  if (isMadeUp(text, skipBlank(text, end))) return undefined
  // A closing token may follow a horizontal line.
  const next = afterMarks(text, afterMarks(text, end))
  if (next >= text.length || isMadeUp(text, next)) return undefined
  return isStep(text, next)
    ? 'the reply contains another step after the action'
    : `the reply continues after the action ("${wordsAt(text, next)}")`
}

/** The offset after closing tags, marks around an action, and a horizontal line below it. */
function afterMarks(text: string, at: number): number {
  marks.lastIndex = afterClosing(text, at)
  marks.test(text)
  return marks.lastIndex
}

const marks = /[\s*_`~.,;。-]*/y

function isMadeUp(text: string, at: number): boolean {
  return markerAt(text, at)?.kind === 'observation'
}

function isStep(text: string, at: number): boolean {
  const kind = markerAt(text, at)?.kind
  return kind !== undefined && kind !== 'observation' && kind !== 'input'
}

function wordsAt(text: string, at: number): string {
  const line = text.slice(at, Math.min(nextLine(text, at), at + 60)).trim()
  return line.length > 40 ? `${line.slice(0, 40)}…` : line
}
