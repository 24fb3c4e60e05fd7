import type { Json, JsonObject } from '@mutsumi/schema'
import { countLines, firstLines, headOf, lastLines, tailOf } from '../text/cut-text.js'
import { firstItems, shortItem } from './list.js'
import { type FullResult, keepValues, type ToolRule } from './tool-rule.js'

/** What a command wrote, and how many lines of its ends are kept. */
interface Stream {
  readonly name: string
  readonly head: number
  readonly tail: number
}

/**
 * `output` is both streams in one, as they came. Where `stderr_at` says which parts are errors and not all of it is kept,
 * the streams are kept apart: many lines of output must not push out the errors before them.
 */
const streams: readonly Stream[] = [
  { name: 'output', head: 5, tail: 20 },
  { name: 'stdout', head: 5, tail: 5 },
  { name: 'stderr', head: 0, tail: 20 },
]

const found = [
  'directory',
  'exit_code',
  ...streams.flatMap(({ name }) => [`${name}_lines`, `${name}_characters`]),
]

/** The command, how it ended, and of what it wrote the counts, the head and the tail. */
export const bashRule: ToolRule = {
  identity: ['command', ...found],
  keep(result) {
    const data = withStreams(withOutput(result))
    const counts = streams.map((stream) => countsOf(stream, data[stream.name]))
    const counted = { ...result, data: Object.assign({ ...data }, ...counts) as JsonObject }
    return {
      ...keepValues(counted, { called: ['command'], found }),
      ...protectedChanged(data),
      ...(Object.assign({}, ...streams.map((stream) => endsOf(stream, data))) as JsonObject),
    }
  },
}

/** A long output taken apart into its streams. */
function withStreams(data: JsonObject): JsonObject {
  const { output, stderr_at: ranges, ...others } = data
  if (typeof output !== 'string' || !Array.isArray(ranges) || output.length <= wholeOutput) return data
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

/** As much of an output as is kept whole. */
const wholeOutput = 1000

/** Where data has no output in any form, the text is it. */
function withOutput({ data, text, failed }: FullResult): JsonObject {
  const isKnown = streams.some(({ name }) => Object.hasOwn(data, name) || Object.hasOwn(data, `${name}_tail`))
  return isKnown || failed || text === undefined ? data : { ...data, output: text }
}

function countsOf(stream: Stream, output: Json | undefined): JsonObject {
  if (typeof output !== 'string' || staysWhole(output, stream)) return {}
  const { name } = stream
  return { [`${name}_lines`]: countLines(output), [`${name}_characters`]: output.length }
}

/** Of what is already compressed the ends are known, and the whole is not. */
function endsOf(stream: Stream, data: JsonObject): JsonObject {
  const { name } = stream
  const output = data[name]
  if (typeof output !== 'string') return namedEnds(stream, data[`${name}_head`], data[`${name}_tail`])
  if (staysWhole(output, stream)) return { [name]: output }
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

/** Short, or its ends would be all of it. */
function staysWhole(output: string, stream: Stream): boolean {
  if (output.length <= wholeOutput) return true
  const { head, tail } = cutEnds(output, stream)
  // The end of the last line of the head is in neither.
  return head.length + tail.length >= output.length - 1
}

/** The tail is taken of what the head leaves: no line stands in both. */
function cutEnds(output: string, stream: Stream): { readonly head: string; readonly tail: string } {
  const head = headIn(output, stream)
  return { head, tail: tailIn(output.slice(head.length), stream) }
}

function headIn(output: string, { head }: Stream): string {
  return headOf(firstLines(output, head), 500)
}

function tailIn(output: string, { tail }: Stream): string {
  return tailOf(lastLines(output, tail), 2000)
}

/** Protected paths that changed while it ran: the user may ask about them rounds later. */
function protectedChanged({ protected_changed: paths }: JsonObject): JsonObject {
  if (!Array.isArray(paths)) return {}
  const pathOf = (path: Json) => (typeof path === 'string' ? shortItem(path) : undefined)
  return { protected_changed: firstItems(paths, 10, pathOf) }
}
