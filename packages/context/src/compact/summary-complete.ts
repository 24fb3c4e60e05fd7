import type { RoundRecords } from '../rounds/records.js'
import { commandLines, fileLines, timesLine } from './summary-records.js'
import { readSummary, writeSummary } from './summary-template.js'

/** Characters that the records may take. */
const room = { files: 2000, commands: 1200 }

/**
 * Fills in what is known without a model, in place of what the model wrote there: the times, the files that were
 * changed and the commands that ran.
 */
export function completeSummary(answer: string, records: RoundRecords): string {
  const { bodies } = readSummary(answer)
  return writeSummary({
    times: timesLine(records),
    bodies: {
      objectives: bodies.get('objectives') || notRecorded,
      technical: bodies.get('technical') || notRecorded,
      milestones: bodies.get('milestones') || notRecorded,
      insights: bodies.get('insights') || notRecorded,
    },
    files: fileLines(records, room.files),
    commands: commandLines(records, room.commands),
  })
}

/** What stands where nothing is known. */
export const notRecorded = '(not recorded)'
