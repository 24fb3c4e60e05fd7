import { number, strictObject, string } from 'zod'
import { type FileMemory, isSameContent } from '../session-memory/file-memory.js'
import type { PageReading } from '../workspace/read-page.js'
import { defineTool, fail, type ToolOutcome } from './define-tool.js'
import { readDescription } from './descriptions.js'
import { numberLines } from './number-lines.js'
import { oneLine } from './one-line.js'
import { notAPath, parsePathArgument, refuse } from './path-argument.js'

/** As much text as one call returns, whatever the lines' length. */
const pageBytes = 256 * 1024

const parameters = strictObject({
  path: string().min(1),
  start_line: number().int().min(1).default(1),
  limit: number().int().min(1).max(2000).default(500),
})

/** Reads some lines of a text file. */
export const read = defineTool({
  ...readDescription,
  parameters,
  touches: ({ path }) => ({ paths: [path] }),
  run(args, { workspace, allowed, memory }) {
    const path = parsePathArgument(args.path, workspace.root)
    if (path === undefined) return notAPath(args.path)
    const range = { start: args.start_line, end: args.start_line + args.limit - 1 }
    const page = workspace.page(path.absolute, { allowed, range, maxBytes: pageBytes })
    if (page.kind === 'fault') return refuse(path, page)
    if (page.kind === 'directory')
      return fail('IS_DIRECTORY', `${oneLine(path.shown)}: is a directory; use LS`)
    return describe(path.shown, page, notice(page, memory.files))
  },
})

/** Remembers what was seen; true where somebody else changed the file since it was seen before. */
function notice({ realPath, mtimeMs, size, hash }: PageReading, files: FileMemory): boolean {
  const before = files.lastSeen(realPath)
  const now = { mtimeMs, size, hash }
  files.saw(realPath, now)
  return before !== undefined && !isSameContent(before, now)
}

function describe(path: string, page: PageReading, modifiedExternally: boolean): ToolOutcome {
  const { lines, totalLines, cut } = page
  const truncated = cut || totalLines === undefined || lines.end < totalLines
  const isEmpty = lines.end < lines.start
  const content = isEmpty ? '' : numberLines(page.text.split('\n'), lines.start).join('\n')
  const data = {
    path,
    content,
    start_line: lines.start,
    end_line: lines.end,
    total_lines: totalLines ?? null,
    truncated,
    file_mtime_ms: Math.trunc(page.mtimeMs),
    ...(modifiedExternally && { modified_externally: true }),
  }
  const note = modifiedExternally ? [`Note: ${oneLine(path)} was modified externally.`] : []
  const body = totalLines === 0 ? ['(empty file)'] : [content, ...(truncated ? [wayOn(page)] : [])]
  return { status: truncated ? 'partial' : 'success', data, text: [...note, ...body].join('\n') }
}

function wayOn({ lines, totalLines, cut }: PageReading): string {
  const isWithinLine = cut && lines.start === lines.end
  const shown = isWithinLine
    ? `the first ${pageBytes} bytes of line ${lines.end}`
    : `lines ${lines.start} to ${lines.end}`
  const isLast = lines.end === totalLines
  return `(${shown} of ${totalLines ?? 'very many'}${isLast ? '' : `; go on with start_line ${lines.end + 1}`})`
}
