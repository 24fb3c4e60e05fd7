import type { JsonObject } from '@mutsumi/schema'
import { countLines } from '../text/cut-text.js'
import { saying } from './header-fields.js'
import { errorStream, gap } from './own-lines.js'
import type { BodyPart, TextRule } from './text-rule.js'

/** Fields that are known from the call or useless to a model. */
const silent = new Set([
  ...['command', 'directory', 'duration_ms', 'sandbox', 'network', 'exit_code', 'signal'],
  // The notes contain this in words.
  ...['protected_changed', 'protected_unsearched', 'taken_out', 'taken_out_to', 'not_taken_out'],
  // The output contains both streams in order.
  'stderr_at',
])

/**
 * The output of a command, in the order in which it arrived. The header says how the command ended, unless it
 * succeeded.
 */
export const commandText: TextRule = (data) => {
  const body = blocksOf(data)
  const isGone = !Object.keys(data).some((name) => isStream(name) && !isCount(name))
  const others = Object.entries(data).filter(([name]) => !silent.has(name) && !isStream(name))
  return {
    header: {
      ...endOf(data, body.length > 0),
      ...saying({ ...Object.fromEntries(others), ...(isGone ? { left_out: 'output' } : {}) }),
    },
    body,
  }
}

/** If a command wrote nothing, at least its exit code is shown. */
function endOf({ exit_code: code, signal }: JsonObject, hasWritten: boolean): JsonObject {
  if (code !== 0) return saying({ exit_code: code, signal })
  return hasWritten ? {} : { exit_code: 0 }
}

function isStream(name: string): boolean {
  return /^(?:output|stdout|stderr)(?:_head|_tail|_lines|_characters)?$/.test(name)
}

function isCount(name: string): boolean {
  return /_(?:lines|characters)$/.test(name)
}

/** If the streams are separate, the second one gets a label. */
function blocksOf(data: JsonObject): readonly BodyPart[] {
  const [output, stdout, stderr] = ['output', 'stdout', 'stderr'].map((name) => streamBlocks(name, data))
  const before = [...(output ?? []), ...(stdout ?? [])]
  const isParted = before.length > 0 && stderr !== undefined && stderr.length > 0
  return [...before, ...(isParted ? [errorStream] : []), ...(stderr ?? [])]
}

/** The whole text, or the part that history kept: the beginning, how much is missing, the end. */
function streamBlocks(name: string, data: JsonObject): readonly BodyPart[] {
  const whole = data[name]
  const [head, tail] = [textAt(data, `${name}_head`), textAt(data, `${name}_tail`)]
  const blocks =
    typeof whole === 'string' || (head === '' && tail === '')
      ? [{ text: typeof whole === 'string' ? whole : '' }]
      : [{ text: head }, gap(missing(name, data, { head, tail })), { text: tail }]
  return blocks.filter(({ text }) => text !== '')
}

function textAt(data: JsonObject, name: string): string {
  const text = data[name]
  return typeof text === 'string' ? text : ''
}

/** How much of a stream is not shown. If the output was too long for its own result, this was not counted. */
function missing(name: string, data: JsonObject, { head, tail }: { head: string; tail: string }): string {
  const { [`${name}_lines`]: lines, [`${name}_characters`]: characters, truncated } = data
  if (truncated === true || typeof lines !== 'number')
    return head === '' ? 'the beginning' : tail === '' ? 'the rest' : 'the middle'
  const left = lines - countLines(head) - countLines(tail)
  if (left > 0 || typeof characters !== 'number') return left === 1 ? '1 line' : `${left} lines`
  return `${characters - head.length - tail.length} characters`
}
