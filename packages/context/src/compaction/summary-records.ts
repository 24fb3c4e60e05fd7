import type { CommandRecord, RoundRecords } from '../history/records.js'
import { headLine } from '../text/short-text.js'

/** The line below a summary's title. */
export function timesLine({ startedAt, endedAt }: RoundRecords): string {
  return `*(Contains context from ${startedAt ?? unknownTime} to ${endedAt ?? unknownTime})*`
}

const unknownTime = 'an unrecorded time'

export function commandLines({ commands }: RoundRecords, limit: number): readonly string[] {
  if (commands.entries.length === 0) return ['* (none)']
  return newestLines(commands.entries.map(commandLine), { limit, more: commands.more })
}

/** The last lines that fit, after a note of how many do not. `more` were already left out. */
export function newestLines(
  lines: readonly string[],
  { limit, more = 0 }: { readonly limit: number; readonly more?: number },
): readonly string[] {
  const left = tooMany(lines, limit)
  return [...earlierNote(left + more), ...lines.slice(left)]
}

export function earlierNote(left: number): readonly string[] {
  return left === 0 ? [] : [`* (… ${left} earlier left out)`]
}

const noteLength = 40

/** How many of the first lines must go so that the others and the note fit. */
export function tooMany(lines: readonly string[], limit: number): number {
  let length = noteLength
  for (let index = lines.length - 1; index >= 0; index--) {
    length += (lines[index]?.length ?? 0) + 1
    if (length > limit) return index + 1
  }
  return 0
}

/** How much of a command a summary shows. */
const commandLength = 120

function commandLine({ command, count, exitCode }: CommandRecord): string {
  const end =
    exitCode === undefined
      ? 'result not recorded'
      : exitCode === null
        ? 'ended early'
        : `exit code ${exitCode}`
  return `* ${codeSpan(headLine(command, commandLength))}: ${count > 1 ? `${times(count)}, last ` : ''}${end}`
}

/** `once`, `2 times` */
export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** Any text as Markdown code. A name cannot close it and continue as text. */
export function codeSpan(text: string): string {
  if (!text.includes('`')) return `\`${text}\``
  const longest = Math.max(...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${text} ${fence}`
}
