import type { RoundRecords } from '../history/records.js'
import {
  notRecorded,
  readSummary,
  type SummaryContent,
  summaryTemplate,
  writeSummary,
} from '../history/summary-template.js'
import { cutMiddle } from '../text/cut-text.js'
import { fileLines } from './file-lines.js'
import { type FileWords, readFileWords } from './file-words.js'
import { commandLines, timesLine } from './summary-records.js'

/** The most characters for the records, and for a model's words about files beside them. */
const room = { files: 2000, words: 3000, commands: 1200 }

/**
 * Fills in the facts that need no model. Times and commands come from the records and replace the model's text there.
 * Changed files come from the records too, with the model's words beside them. `limit` is the most characters per part.
 */
export function completeSummary(
  answer: string,
  records: RoundRecords,
  limit = Number.POSITIVE_INFINITY,
): string {
  const { bodies } = readSummary(answer)
  const body = (name: keyof SummaryContent['bodies']) => cutMiddle(bodies.get(name) || notRecorded, limit)
  const words = wordsAbout(bodies.get('files') ?? '', records)
  return writeSummary({
    times: timesLine(records),
    bodies: {
      objectives: body('objectives'),
      technical: body('technical'),
      milestones: body('milestones'),
      insights: body('insights'),
    },
    files: fileLines(records, {
      limit: Math.min(room.files, limit),
      said: { words, limit: Math.min(room.words, limit) },
    }),
    commands: commandLines(records, Math.min(room.commands, limit)),
  })
}

/** A model may copy the template's examples, which name files that do not exist. */
function wordsAbout(body: string, { files }: RoundRecords): readonly FileWords[] {
  const isKnown = (path: string) => files.entries.some((file) => file.path === path)
  const examples = readFileWords(readSummary(summaryTemplate).bodies.get('files') ?? '')
  const isExample = ({ path, words }: FileWords) =>
    !isKnown(path) && examples.some((example) => example.path === path && example.words === words)
  return readFileWords(body).filter((said) => !isExample(said))
}
