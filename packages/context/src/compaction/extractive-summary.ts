import { finalAnswer, isSilent, recordsOf } from '../history/records.js'
import type { Round } from '../history/rounds.js'
import { notRecorded, writeSummary } from '../history/summary-template.js'
import { headOf } from '../text/cut-text.js'
import { headLine } from '../text/short-text.js'
import { fileLines } from './file-lines.js'
import { commandLines, newestLines, timesLine } from './summary-records.js'

/** The most characters per part. With headings and escaped tags, the whole summary stays below 6 000. */
const room = { goal: 280, milestones: 1600, preferences: 500, files: 1200, commands: 600 }

/**
 * Writes a summary in the template's form from the records alone. It needs no model and is always the same for the
 * same rounds.
 */
export function extractiveSummary(rounds: readonly Round[]): string {
  const records = recordsOf(rounds)
  const goal = rounds.find(({ prompt }) => prompt.trim() !== '')?.prompt
  const preferences = preferencesIn(rounds)
  return writeSummary({
    times: timesLine(records),
    bodies: {
      objectives: `* **Original Goal**: ${goal === undefined ? notRecorded : headLine(goal, room.goal)}`,
      technical: `* **Stack**: ${notRecorded}\n* **Environment**: ${notRecorded}`,
      milestones:
        newestLines(rounds.flatMap(milestone), { limit: room.milestones }).join('\n') || `* ${notRecorded}`,
      insights: [
        `* **Decisions**: ${notRecorded}`,
        `* **Learnings**: ${notRecorded}`,
        `* **User Preferences**: ${preferences.length === 0 ? notRecorded : preferences.join(' ')}`,
      ].join('\n'),
    },
    files: fileLines(records, { limit: room.files }),
    commands: commandLines(records, room.commands),
  })
}

/** A round in one line: the question and the answer. */
function milestone(round: Round): readonly string[] {
  if (isSilent(round)) return []
  const answer = finalAnswer(round)
  const asked = headLine(round.prompt, 80) || '(no prompt)'
  return [
    answer === undefined
      ? `* [ ] ${asked} - (no answer recorded)`
      : `* [✓] ${asked} - ${headLine(answer, 120)}`,
  ]
}

/** How much of a prompt is searched, and how much of a sentence is quoted. */
const looked = 4000
const quoted = 160

/** The user's general wishes, in the user's own words, the newest last. */
function preferencesIn(rounds: readonly Round[]): readonly string[] {
  const found = new Set<string>()
  for (const { prompt } of rounds)
    for (const sentence of headOf(prompt, looked).split(sentenceEnd))
      if (isPreference(sentence)) found.add(`“${headLine(sentence, quoted)}”`)
  return newestThatFit([...found], room.preferences)
}

/** The full stop in `a.ts` does not end a sentence. */
const sentenceEnd = /[\n。！？；]|[.!?;](?=\s|$)/u

const english = /\b(always|never|prefer|preferred|from now on)\b/i
const chinese =
  /总是|總是|始终|始終|一律|永远|永遠|从不|從不|绝不|絕不|不要|偏好|优先|優先|以后都|以後都|务必|務必/

function isPreference(sentence: string): boolean {
  return english.test(sentence) || chinese.test(sentence)
}

function newestThatFit(texts: readonly string[], limit: number): readonly string[] {
  let length = 0
  const start = texts.findLastIndex((text) => {
    length += text.length + 1
    return length > limit
  })
  return texts.slice(start + 1)
}
