import older from '../prompts/older-summaries.md'
import { notRecorded, readSummary } from './summary-template.js'

/** One text for several summaries: all goals and key insights of each. */
export function olderSummaries(short: readonly string[]): string {
  const count = short.length === 1 ? 'one summary' : `${short.length} summaries`
  return [older.replace('{{COUNT}}', count).trim(), ...short].join('\n\n')
}

/**
 * A summary's times, goals and key insights, cut out by code: no model shortens a model's text. A summary that does
 * not follow the template stays whole, because its goals and insights cannot be found.
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
