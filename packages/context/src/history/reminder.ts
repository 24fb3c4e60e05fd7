import { isJsonObject, isMacroName, type MentionedPaths, type SessionCell } from '@mutsumi/schema'
import mentioned from '../prompts/mentioned.md'
import mentionedFile from '../prompts/mentioned-file.md'
import mentionedFiles from '../prompts/mentioned-files.md'
import mentionedFolder from '../prompts/mentioned-folder.md'
import mentionedFolders from '../prompts/mentioned-folders.md'
import mentionedMacros from '../prompts/mentioned-macros.md'
import mentionedMacrosSeveral from '../prompts/mentioned-macros-several.md'
import planMode from '../prompts/plan-mode.md'
import { MentionScanner } from '../text/mention-scanner.js'
import { headLine } from '../text/short-text.js'
import { withoutTags } from '../text/without-tags.js'

/** How many paths a reminder names. */
export const namedMentions = 5
/** How many macros it names. */
export const namedMacros = 50

/** The macros after a cell: a macro's value, if it is defined. */
export type MacroValue = (name: string) => string | undefined

/** The text that follows a cell's own when it is sent, by the facts that are recorded with it. */
export function remindersOf(cell: SessionCell, macroValue?: MacroValue): string {
  return reminderText(recordedMentions(cell), macroValue) + modeReminder(cell)
}

/** A model must know that it can only plan. The session stores the mode, never the words. */
export function modeReminder({ metadata }: Pick<SessionCell, 'metadata'>): string {
  return metadata?.mode === 'plan' ? `\n\n${planMode.trim()}` : ''
}

/** The reminder after a user's text that mentions files or folders; empty if it mentions none. */
export function reminderText(
  { paths, more = 0, macros = [] }: MentionedPaths,
  macroValue: MacroValue = () => undefined,
): string {
  if (paths.length === 0) return ''
  const names = paths.map((path) => (/[\s,]/u.test(path) ? `@"${path}"` : `@${path}`))
  const rest = more === 0 ? '' : ` (and ${more} more…)`
  const folders = paths.filter((path) => path.endsWith('/')).length
  const requests = [
    request(paths.length - folders, mentionedFile, mentionedFiles),
    request(folders, mentionedFolder, mentionedFolders),
    macroLine(macros, { macroValue, files: paths.length - folders }),
  ]
  // The replacements are functions, because a name may contain `$&`. The requests are inserted first, because a name
  // may contain their placeholder.
  const text = mentioned
    .trim()
    .replace('{{REQUESTS}}', () => requests.filter((line) => line !== '').join('\n'))
    .replace('{{MENTIONS}}', () => names.join(', ') + rest)
  return `\n\n${text}`
}

function request(count: number, one: string, several: string): string {
  return count === 0 ? '' : (count === 1 ? one : several).trim()
}

/** `Macros used in it: API_VERSION = v2, TIMEOUT = 30.`: Read shows the file as it is, with the names. */
function macroLine(
  names: readonly string[],
  { macroValue, files }: { readonly macroValue: MacroValue; readonly files: number },
): string {
  const values = names.flatMap((name) => {
    const value = macroValue(name)
    return value === undefined ? [] : [`${name} = ${shownValue(value)}`]
  })
  if (values.length === 0) return ''
  const line = files === 1 ? mentionedMacros : mentionedMacrosSeveral
  return line.trim().replace('{{MACROS}}', () => values.join(', '))
}

/** One line that cannot close the reminder or reverse its letters. */
function shownValue(value: string): string {
  return withoutTags(headLine(value.replace(reordering, ''), mostValueCharacters))
}

const mostValueCharacters = 200
const reordering = /[\p{Bidi_Control}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * The reminder that was sent with a cell's text. The session stores paths and names, never words. Anyone can write a session
 * file, so a path counts only if the text itself mentions it, and a macro has the value that the session gives it.
 */
export function recordedMentions({ content, metadata }: SessionCell): MentionedPaths {
  const recorded = readMentions(metadata?.mentioned) ?? namesIn(metadata?.reminder)
  if (!recorded || recorded.paths.length === 0) return none
  const isWritten = writtenPaths(content)
  const paths = recorded.paths.filter((path) => !unshowable.test(path) && isWritten(path))
  return paths.length === recorded.paths.length ? recorded : { paths, ...macrosOf(recorded) }
}

function macrosOf({ macros }: MentionedPaths): Pick<MentionedPaths, 'macros'> {
  return macros ? { macros } : {}
}

const none: MentionedPaths = { paths: [] }

/** Characters that could close the reminder, break its line, or reverse its letters. */
export const unshowable = /[<>"\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

function readMentions(mentions: unknown): MentionedPaths | undefined {
  if (!isJsonObject(mentions) || !Array.isArray(mentions.paths)) return undefined
  const paths = mentions.paths.filter((path): path is string => typeof path === 'string')
  const { more, macros: names } = mentions
  const macros = Array.isArray(names) ? names.filter(isMacroName).slice(0, namedMacros) : []
  const isCount = typeof more === 'number' && Number.isSafeInteger(more) && more > 0
  return {
    paths: paths.slice(0, namedMentions),
    ...(isCount ? { more } : {}),
    ...(macros.length > 0 ? { macros } : {}),
  }
}

/** Older sessions stored the words themselves. */
function namesIn(reminder: unknown): MentionedPaths | undefined {
  const line = typeof reminder === 'string' ? /^The user mentioned (.*)\.$/mu.exec(reminder)?.[1] : undefined
  if (line === undefined) return undefined
  const paths = [...line.matchAll(/@(?:"([^"]+)"|([^\s,"]+))/gu)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )
  const more = Number(/ \(and (\d{1,4}) more…\)$/u.exec(line)?.[1] ?? 0)
  return { paths: paths.slice(0, namedMentions), ...(more > 0 ? { more } : {}) }
}

/** No more than this many are checked when a reminder is made. */
const mostSites = 5000

/** Checks whether a text mentions a path: `@src/a.ts`, `@./src/a.ts`, `@/ws/src/a.ts`. */
function writtenPaths(text: string): (path: string) => boolean {
  const relative = new Set<string>()
  const absolute: string[] = []
  const scanner = new MentionScanner(text)
  let sites = 0
  for (let site = scanner.next(0); site && sites < mostSites; site = scanner.next(site.at + 1), sites++)
    for (const { path } of site.candidates) {
      relative.add(resolved(path))
      // The workspace's own folder is not known here.
      if (path.startsWith('/')) absolute.push(`/${resolved(path)}`)
    }
  return (path) => {
    const plain = path.replace(/\/$/, '')
    return relative.has(plain) || absolute.some((written) => written.endsWith(`/${plain}`))
  }
}

function resolved(written: string): string {
  const kept: string[] = []
  for (const segment of written.split('/'))
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  return kept.join('/')
}
