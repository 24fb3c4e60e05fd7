import { type CommandRecord, type FileRecord, isChanged, type RoundRecords } from '../rounds/records.js'
import { headLine } from '../rounds/short-text.js'

/** The line below a summary's title. */
export function timesLine({ startedAt, endedAt }: RoundRecords): string {
  return `*(Contains context from ${startedAt ?? unknownTime} to ${endedAt ?? unknownTime})*`
}

const unknownTime = 'an unrecorded time'

/** A line for each file that was changed, and one for those that were only read; `limit` characters at most. */
export function fileLines({ files }: RoundRecords, limit: number): readonly string[] {
  const changed = files.entries
    .filter(isChanged)
    .map((file) => `* ${codeSpan(file.path)}: ${fileDeeds(file)}.`)
  const read = files.entries.filter((file) => !isChanged(file)).map(({ path }) => codeSpan(path))
  if (changed.length + read.length === 0) return ['* (none)']
  // Those that were only read are the first to be left out of the records.
  if (read.length === 0) return newestLines(changed, { limit, more: files.more })
  const room = Math.floor(limit * 0.75)
  const changedLines = changed.length === 0 ? ['* (none)'] : newestLines(changed, { limit: room })
  return [...changedLines, onlyRead(read, { limit: limit - room, more: files.more })]
}

export function commandLines({ commands }: RoundRecords, limit: number): readonly string[] {
  if (commands.entries.length === 0) return ['* (none)']
  return newestLines(commands.entries.map(commandLine), { limit, more: commands.more })
}

/** As many of the last lines as fit, and before them how many do not. `more` were left out before. */
export function newestLines(
  lines: readonly string[],
  { limit, more = 0 }: { readonly limit: number; readonly more?: number },
): readonly string[] {
  const left = tooMany(lines, limit - noteLength)
  const kept = lines.slice(left)
  return left + more === 0 ? kept : [`* (… ${left + more} earlier left out)`, ...kept]
}

const noteLength = 40

/** How many from the first on have to go so that the others fit. */
function tooMany(lines: readonly string[], limit: number): number {
  let length = 0
  for (let index = lines.length - 1; index >= 0; index--) {
    length += (lines[index]?.length ?? 0) + 1
    if (length > limit) return index + 1
  }
  return 0
}

function onlyRead(
  paths: readonly string[],
  { limit, more }: { readonly limit: number; readonly more: number },
): string {
  const left = tooMany(
    paths.map((path) => `${path} `),
    limit - noteLength,
  )
  const named = paths.slice(left).join(', ')
  const rest = left + more
  if (named === '') return `* Only read: ${rest} files`
  return `* Only read: ${named}${rest > 0 ? ` (and ${rest} more)` : ''}`
}

/** `created, edited 2 times (last: lines 3-9)` */
function fileDeeds(file: FileRecord): string {
  const { created, edited, interrupted } = file
  const deeds = [
    created > 0 ? 'created' : '',
    edited > 0 ? `edited ${times(edited)}${lastLines(file)}` : '',
    interrupted > 0 ? 'a change was interrupted, whether it took effect is unknown' : '',
  ]
  return deeds.filter((deed) => deed !== '').join(', ')
}

function lastLines({ edited, lines }: FileRecord): string {
  if (lines === '') return ''
  return ` (${edited > 1 ? 'last: ' : ''}${/^\d+$/.test(lines) ? 'line' : 'lines'} ${lines})`
}

/** As much of a command as a summary tells. */
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

/** Code in Markdown, whatever it holds: a name cannot end it and go on as text. */
export function codeSpan(text: string): string {
  if (!text.includes('`')) return `\`${text}\``
  const longest = Math.max(...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${text} ${fence}`
}
