import { number, type output, strictObject, string } from 'zod'
import { defineTool, fail, type ToolOutcome } from '../contract/define-tool.js'
import { oneLine } from '../ground/one-line.js'
import { recallDescription } from '../prompts/descriptions.js'
import { wholeCharacter } from '../search/cut-line.js'
import { numberLines } from './number-lines.js'

/** The most text that one call returns, whatever the length of the lines: the same as Read. */
const pageLength = 256 * 1024

/** The default number of lines. */
const usualLimit = 500

const parameters = strictObject({
  id: string().min(1).max(64),
  start_line: number().int().min(1).default(1),
  limit: number().int().min(1).max(2000).default(usualLimit),
})

/** Returns an earlier result in full. */
export const recall = defineTool({
  ...recallDescription,
  parameters,
  run(args, { memory }) {
    const text = memory.observations.find(args.id)
    if (text === undefined) return fail('NOT_FOUND', `there is no stored result ${oneLine(args.id)}`)
    const lines = linesOf(text)
    const start = args.start_line
    if (start > Math.max(lines.length, 1))
      return fail('INVALID_PARAM', `start_line: the result has ${lines.length} lines`)
    return describe(args, lines)
  },
})

function describe(
  { id, start_line, limit }: output<typeof parameters>,
  lines: readonly string[],
): ToolOutcome {
  const shown = page(lines.slice(start_line - 1, start_line - 1 + limit), start_line)
  const end = start_line + shown.length - 1
  const content = shown.join('\n')
  const cut = content.length > pageLength
  const truncated = cut || end < lines.length
  const isShort = shown.length < limit || limit === usualLimit
  const notes = [
    ...(cut ? [`only the first ${pageLength} characters of line ${end}`] : []),
    ...(isShort && end < lines.length ? [`go on with start_line ${end + 1}`] : []),
  ]
  const data = {
    id,
    content: cut ? content.slice(0, wholeCharacter(content, pageLength)) : content,
    start_line,
    end_line: end,
    total_lines: lines.length,
    truncated,
    ...(notes.length > 0 && { notes }),
  }
  const text = lines.length === 0 ? '(empty result)' : [...notes, data.content].join('\n')
  return { status: truncated ? 'partial' : 'success', data, text }
}

/** The numbered lines that fit into a page, at least one. */
function page(lines: readonly string[], start: number): readonly string[] {
  const numbered = numberLines(lines, start)
  let length = 0
  const tooMany = numbered.findIndex((line, index) => {
    length += line.length + 1
    return index > 0 && length > pageLength
  })
  return tooMany === -1 ? numbered : numbered.slice(0, tooMany)
}

/** After a final line end there is no further line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
