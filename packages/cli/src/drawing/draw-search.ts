import { basename } from 'node:path'
import { shellWord } from '@mutsumi/host'
import { safeLine } from '@mutsumi/schema'
import type { SessionMatch } from '@mutsumi/session'
import type { FoundSession } from '@mutsumi/session/node'
import { since } from '../terminal/times.js'
import { say, sayWord } from '../words/say.js'

/** The marks around matching words. */
export interface Marks {
  readonly before: string
  readonly after: string
}

export const colorMarks: Marks = { before: '\u001b[1;7m', after: '\u001b[0m' }
export const plainMarks: Marks = { before: '«', after: '»' }

/** A session and its matching lines, each with its round. */
export function drawFound({ session, matches, total }: FoundSession, marks: Marks): string {
  const { path, summary, lastAt } = session
  const title = safeLine(summary?.title ?? '–')
  const about = `${summary?.parent === undefined ? '' : say`task: `}${title} (${shellWord(basename(path))}${since(lastAt, ', ')})`
  const more = total - matches.length
  const lines = matches.map((match) => `  ${placeOf(match)}${drawLine(match, marks)}`)
  if (more > 0) lines.push(say`  … and ${more} more; --all shows them`)
  return [about, ...lines].join('\n')
}

const places = {
  title: 'title',
  question: 'question',
  answer: 'answer',
  call: 'call',
  result: 'result',
} as const satisfies Readonly<Record<SessionMatch['place'], string>>

function placeOf({ round, place, tool }: SessionMatch): string {
  if (round === undefined) return say`title: `
  if (tool !== undefined) return say`round ${round}, ${sayWord(places[place])} of ${safeLine(tool)}: `
  return say`round ${round}, ${sayWord(places[place])}: `
}

function drawLine({ line, from, to }: SessionMatch, { before, after }: Marks): string {
  const indentation = /^\s*/.exec(line.slice(0, from))?.[0].length ?? 0
  const head = safeLine(line.slice(indentation, from))
  return `${head}${before}${safeLine(line.slice(from, to))}${after}${safeLine(line.slice(to)).trimEnd()}`
}
