import type { JsonObject } from '@mutsumi/schema'
import { explanations, pathNames } from './common-words.js'
import { type ForeignWords, numberIn, take } from './foreign-words.js'

export const readWords: ForeignWords = {
  names: {
    path: pathNames,
    start_line: ['offset', 'start', 'linestart', 'startlineoneindexed', 'fromline'],
    limit: ['lines', 'maxlines', 'linecount', 'numlines', 'count'],
  },
  ignored: [
    ...explanations,
    ...['shouldreadentirefile', 'encoding', 'pages', 'showlinenumbers', 'linenumbers', 'mode'],
  ],
  adapt: withRange,
}

export const recallWords: ForeignWords = {
  names: { id: ['observationid', 'recall', 'resultid', 'recallid'], start_line: ['offset', 'start'] },
  ignored: explanations,
  adapt: withRange,
}

/** `view_range`, or a last line instead of a number of lines. Some count lines from 0. */
function withRange(args: JsonObject): JsonObject {
  const { found: ranges, rest } = take(args, ['viewrange'])
  const [range] = ranges
  if (Array.isArray(range) && range.length === 2 && !('start_line' in rest || 'limit' in rest))
    return withEnd({ ...rest, start_line: range[0] ?? 1, end_line: range[1] ?? -1 })
  return withEnd(args)
}

function withEnd(args: JsonObject): JsonObject {
  const { found, rest } = take(args, ['endline', 'end', 'lineend', 'endlineoneindexedinclusive', 'toline'])
  const from = Math.max(numberIn(rest.start_line) ?? 1, 1)
  const started = numberIn(rest.start_line) === 0 ? { ...rest, start_line: 1 } : rest
  const end = numberIn(found[0])
  if (end === undefined) return found.length === 0 ? started : args
  // -1 is the end of the file.
  if (end === -1) return started
  return found.length > 1 || 'limit' in rest || end < from ? args : { ...started, limit: end - from + 1 }
}

const editNames = {
  old_string: ['oldstr', 'oldtext', 'search', 'find'],
  new_string: ['newstr', 'newtext', 'replace', 'replacement'],
}

export const editWords: ForeignWords = {
  names: { path: pathNames, ...editNames },
  ignored: [...explanations, 'instruction', 'instructions', 'toolcallid'],
  adapt: withExpectation,
}

/** The one replacement that is usual. Any other number is not promised here. */
function withExpectation(args: JsonObject): JsonObject {
  const { found, rest } = take(args, ['expectedreplacements'])
  return found.length === 1 && numberIn(found[0]) === 1 ? rest : args
}

export const multiEditWords: ForeignWords = {
  names: { path: pathNames },
  ignored: [...explanations, 'instruction', 'instructions'],
  items: { edits: { names: editNames, ignored: [] } },
}

export const writeWords: ForeignWords = {
  names: { path: pathNames, content: ['contents', 'text', 'filetext', 'filecontent', 'body'] },
  ignored: [...explanations, 'instruction', 'instructions', 'overwrite', 'createdirectories', 'encoding'],
}
