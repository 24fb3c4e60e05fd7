import { cutMiddle } from '../compress/cut-text.js'
import type { RoundRecords } from '../rounds/records.js'
import { commandLines, fileLines, timesLine } from './summary-records.js'
import { readSummary, type SummaryContent, writeSummary } from './summary-template.js'

/** Characters that the records may take. */
const room = { files: 2000, commands: 1200 }

/**
 * Fills in what is known without a model, in place of what the model wrote there: the times, the files that were
 * changed and the commands that ran. `limit`: characters that each part may take.
 */
export function completeSummary(
  answer: string,
  records: RoundRecords,
  limit = Number.POSITIVE_INFINITY,
): string {
  const { bodies } = readSummary(answer)
  const body = (name: keyof SummaryContent['bodies']) => cutMiddle(bodies.get(name) || notRecorded, limit)
  return writeSummary({
    times: timesLine(records),
    bodies: {
      objectives: body('objectives'),
      technical: body('technical'),
      milestones: body('milestones'),
      insights: body('insights'),
    },
    files: fileLines(records, Math.min(room.files, limit)),
    commands: commandLines(records, Math.min(room.commands, limit)),
  })
}

/** What stands where nothing is known. */
export const notRecorded = '(not recorded)'
