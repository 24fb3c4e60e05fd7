import { number, strictObject, string } from 'zod'
import { defineTool, fail, type ToolOutcome } from '../contract/define-tool.js'
import { notAPath, parsePathArgument, refuse } from '../contract/path-argument.js'
import { oneLine } from '../ground/one-line.js'
import { readDescription } from '../prompts/descriptions.js'
import { outcomeText } from '../reasons/outcome.js'
import { isSameContent } from '../session-memory/file-memory.js'
import type { SessionMemory } from '../session-memory/session-memory.js'
import type { PageReading } from '../workspace/read-page.js'
import { newFolderRules } from './folder-rules.js'
import { numberLines } from './number-lines.js'

/** The most text that one call returns, whatever the length of the lines. */
const pageBytes = 256 * 1024

/** The default number of lines. */
const usualLimit = 500

const parameters = strictObject({
  path: string().min(1),
  start_line: number().int().min(1).default(1),
  limit: number().int().min(1).max(2000).default(usualLimit),
})

/** Reads some lines of a text file. */
export const read = defineTool({
  ...readDescription,
  parameters,
  touches: ({ path }) => ({ paths: [path] }),
  run(args, { workspace, allowed, memory, places }) {
    const path = parsePathArgument(args.path, workspace.root)
    if (path === undefined) return notAPath(args.path)
    const range = { start: args.start_line, end: args.start_line + args.limit - 1 }
    const place = places?.get(args.path)
    const page = workspace.page(path.absolute, { allowed, place, range, maxBytes: pageBytes })
    if (page.kind === 'fault') return refuse(path, page)
    if (page.kind === 'directory')
      return fail('IS_DIRECTORY', outcomeText('about', oneLine(path.shown), outcomeText('is-directory-list')))
    const modifiedExternally = notice(page, path.shown, memory)
    const rules = newFolderRules(path.absolute, { workspace, allowed, memory })
    const isAsked = args.limit !== usualLimit
    return describe(path.shown, page, { modifiedExternally, rules, isAsked })
  },
})

/** Records what was seen. True if somebody else changed the file since it was last seen. */
function notice(
  { realPath, mtimeMs, size, hash }: PageReading,
  shown: string,
  memory: SessionMemory,
): boolean {
  const before = memory.files.lastSeen(realPath)
  const now = { mtimeMs, size, hash }
  memory.files.saw(realPath, now)
  if (before !== undefined) return !isSameContent(before, now)
  const recorded = memory.recordedTime?.(shown)
  return recorded !== undefined && recorded !== Math.trunc(mtimeMs)
}

interface ReadNotes {
  readonly modifiedExternally: boolean
  /** Files with rules for its folder. */
  readonly rules: readonly string[]
  /** The call gave a number of lines. */
  readonly isAsked: boolean
}

function describe(path: string, page: PageReading, about: ReadNotes): ToolOutcome {
  const { modifiedExternally, rules, isAsked } = about
  const { lines, totalLines, cut } = page
  const truncated = cut || totalLines === undefined || lines.end < totalLines
  const isEmpty = lines.end < lines.start
  const content = isEmpty ? '' : numberLines(page.text.split('\n'), lines.start).join('\n')
  const notes = [
    ...(modifiedExternally ? [`Note: ${oneLine(path)} was modified externally.`] : []),
    ...(rules.length > 0 ? [`Note: ${rulesNote(rules)}`] : []),
    ...(truncated ? extentNotes(page, isAsked) : []),
  ]
  const data = {
    path,
    content,
    start_line: lines.start,
    end_line: lines.end,
    total_lines: totalLines ?? null,
    truncated,
    file_mtime_ms: Math.trunc(page.mtimeMs),
    ...(modifiedExternally && { modified_externally: true }),
    ...(notes.length > 0 && { notes }),
  }
  const body = totalLines === 0 ? '(empty file)' : content
  const text = [...notes, body].join('\n')
  return { status: truncated ? 'partial' : 'success', data, text }
}

/** Only names the files. The model reads them like any other file, so that they are recorded and kept up to date. */
function rulesNote(rules: readonly string[]): string {
  const files = rules.map(oneLine).join(' and ')
  return `${files} ${rules.length === 1 ? 'has' : 'have'} rules for this folder; read them before you change files here.`
}

/** A note about where the lines end, if that is neither the end of the file nor the end of the requested range. */
function extentNotes({ lines, totalLines, cut }: PageReading, isAsked: boolean): string[] {
  const isWithinLine = cut && lines.start === lines.end
  const isLast = lines.end === totalLines
  const isShort = cut || totalLines === undefined || !isAsked
  return [
    ...(isWithinLine ? [`only the first ${pageBytes} bytes of line ${lines.end}`] : []),
    ...(isShort && !isLast ? [`go on with start_line ${lines.end + 1}`] : []),
  ]
}
