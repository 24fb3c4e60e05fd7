import type { Json, JsonObject } from '@mutsumi/schema'
import type { KeptAmounts } from '../ground/settings.js'
import { countLines, cutMiddle, firstLines, headOf, lastLines, tailOf } from '../text/cut-text.js'
import { firstItems, shortItem } from './list.js'
import { type FullResult, keepValues, type ToolRule } from './tool-rule.js'

/** The output of a command, and how many lines of its ends are kept. */
interface Stream {
  readonly name: string
  readonly head: number
  readonly tail: number
  /** Each line of the tail may have so many characters; absent: all of them together are limited. */
  readonly tailLine?: number
}

const names = ['output', 'stdout', 'stderr']

/**
 * `output` is both streams in the order in which they arrived. If `stderr_at` marks the error parts and not all of it
 * is kept, the streams are separated, so that many lines of output do not push out the errors before them.
 */
function streamsOf({ stdout, stderr }: KeptAmounts): readonly Stream[] {
  return [
    { name: 'output', head: stdout, tail: stderr },
    { name: 'stdout', head: stdout, tail: stdout },
    // A stack trace has long lines, and its beginning says what happened.
    { name: 'stderr', head: 0, tail: stderr, tailLine: 1000 },
  ]
}

const found = ['directory', 'exit_code', ...names.flatMap((name) => [`${name}_lines`, `${name}_characters`])]

/** The command, how it ended, and the counts, head and tail of its output. */
export const bashRule: ToolRule = {
  identity: ['command', ...found],
  keep(result) {
    const { output: whole } = result.kept
    const streams = streamsOf(result.kept)
    const data = withStreams(withOutput(result), whole)
    const counts = streams.map((stream) => countsOf(stream, data[stream.name], whole))
    const counted = { ...result, data: Object.assign({ ...data }, ...counts) as JsonObject }
    return {
      ...keepValues(counted, { called: ['command'], found }),
      ...protectedChanged(data),
      ...(Object.assign({}, ...streams.map((stream) => endsOf(stream, data, whole))) as JsonObject),
    }
  },
}

/** A long output, split into its streams. */
function withStreams(data: JsonObject, whole: number): JsonObject {
  const { output, stderr_at: ranges, ...others } = data
  if (typeof output !== 'string' || !Array.isArray(ranges) || output.length <= whole) return data
  let [stdout, stderr, at] = ['', '', 0]
  for (const range of ranges) {
    const [start, end] = Array.isArray(range) ? range : []
    if (typeof start !== 'number' || typeof end !== 'number' || start < at || end < start) continue
    stdout += output.slice(at, start)
    stderr += output.slice(start, end)
    at = end
  }
  return { ...others, stdout: stdout + output.slice(at), stderr }
}

/** If the data contains no output, the text is the output. */
function withOutput({ data, text, failed }: FullResult): JsonObject {
  const isKnown = names.some((name) => Object.hasOwn(data, name) || Object.hasOwn(data, `${name}_tail`))
  return isKnown || failed || text === undefined ? data : { ...data, output: text }
}

function countsOf(stream: Stream, output: Json | undefined, whole: number): JsonObject {
  if (typeof output !== 'string' || staysWhole(output, stream, whole)) return {}
  const { name } = stream
  return { [`${name}_lines`]: countLines(output), [`${name}_characters`]: output.length }
}

/** If the output is already compressed, only its ends are known. */
function endsOf(stream: Stream, data: JsonObject, whole: number): JsonObject {
  const { name } = stream
  const output = data[name]
  if (typeof output !== 'string') return namedEnds(stream, data[`${name}_head`], data[`${name}_tail`])
  if (staysWhole(output, stream, whole)) return { [name]: output }
  const { head, tail } = cutEnds(output, stream)
  return namedEnds(stream, head, tail)
}

function namedEnds(stream: Stream, head: Json | undefined, tail: Json | undefined): JsonObject {
  const { name } = stream
  return {
    ...(typeof head === 'string' && stream.head > 0 && { [`${name}_head`]: headIn(head, stream) }),
    ...(typeof tail === 'string' && { [`${name}_tail`]: tailIn(tail, stream) }),
  }
}

/** The output is short, or its ends would include all of it. */
function staysWhole(output: string, stream: Stream, whole: number): boolean {
  if (output.length <= whole) return true
  const { head, tail } = cutEnds(output, stream)
  // The line end after the head is in neither part.
  return head.length + tail.length >= output.length - 1
}

/** The tail is taken from the rest after the head, so no line is in both. */
function cutEnds(output: string, stream: Stream): { readonly head: string; readonly tail: string } {
  const head = headIn(output, stream)
  return { head, tail: tailIn(output.slice(head.length), stream) }
}

function headIn(output: string, { head }: Stream): string {
  return headOf(firstLines(output, head), head * charactersPerLine)
}

function tailIn(output: string, { tail, tailLine }: Stream): string {
  const last = lastLines(output, tail)
  if (tailLine === undefined) return tailOf(last, Math.max(2000, tail * charactersPerLine))
  return last
    .split('\n')
    .map((line) => cutMiddle(line, tailLine))
    .join('\n')
}

const charactersPerLine = 100

/** Protected paths that changed while it ran. The user may ask about them in later rounds. */
function protectedChanged({ protected_changed: paths }: JsonObject): JsonObject {
  if (!Array.isArray(paths)) return {}
  const pathOf = (path: Json) => (typeof path === 'string' ? shortItem(path) : undefined)
  return { protected_changed: firstItems(paths, 10, pathOf) }
}
