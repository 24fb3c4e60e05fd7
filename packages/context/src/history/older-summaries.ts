import older from '../prompts/older-summaries.md'
import { notRecorded, readSummary } from './summary-template.js'

/** One text for several summaries: of each its goals and key insights, all of them. */
export function olderSummaries(short: readonly string[]): string {
  const count = short.length === 1 ? 'one summary' : `${short.length} summaries`
  return [older.replace('{{COUNT}}', count).trim(), ...short].join('\n\n')
}

/**
 * A summary's times, goals and key insights, cut out by code: no model shortens what a model wrote. A summary that is
 * not in the template's form stays whole, because nobody knows which of its words are these.
 */
export function goalsAndInsights(summary: string): string {
  const { bodies } = readSummary(summary)
  const goals = bodies.get('objectives') ?? ''
  const insights = bodies.get('insights') ?? ''
  if (goals + insights === '') return summary.trim()
  return [bodies.get('title') ?? '', goals, insights]
    .flatMap((body) => body.split('\n'))
    .filter((line) => line.trim() !== '' && !saysNothing(line))
    .join('\n')
}

/** `* **Decisions**: (not recorded)` */
function saysNothing(line: string): boolean {
  return (
    line.endsWith(notRecorded) &&
    /^[\s*+-]*(?:[^:*]{0,40}\**:\**)?\s*$/.test(line.slice(0, -notRecorded.length))
  )
}
