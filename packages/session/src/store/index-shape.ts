import { isJsonObject } from '@mutsumi/schema'
import { headerShape, shapeProblem } from '../codec/record-shape.js'
import { typeLetter } from './checked-lines.js'
import type { SessionIndex } from './session-index.js'

/** No record takes fewer bytes, so there cannot be more of them. */
const leastLine = 40

/**
 * Whether a session can be opened with an index: every part has its form, and every line that it names exists, has the right
 * type and is named once. Somebody else may have made it, as one file of a folder that was copied. It must not end the
 * process, or make it read a line a million times.
 */
export function isSound(index: SessionIndex): boolean {
  try {
    return hasForm(index) && namesLines(index)
  } catch {
    // A part is missing, or something else is there.
    return false
  }
}

function hasForm({ bytes, sum, header, types, openings, fold }: SessionIndex): boolean {
  const { metadata, unanswered, summaryRequests, lastSent, lastAt } = fold
  return (
    [bytes, sum].every(isCount) &&
    isJsonObject(header) &&
    shapeProblem(header, headerShape) === undefined &&
    isText(types) &&
    types.length * leastLine <= bytes &&
    (openings === undefined || openings.every(isText)) &&
    metadata.every(([name]) => isText(name)) &&
    unanswered.every(
      ({ cell, step, at, call }) =>
        isCount(step) && [cell, at, call.id, call.name].every(isText) && isJsonObject(call.args),
    ) &&
    summaryRequests.every(([cell, count]) => isText(cell) && isCount(count)) &&
    lastSent.every((entry) => entry.every(isText)) &&
    isText(lastAt)
  )
}

function namesLines({ types, fold: { cells, called } }: SessionIndex): boolean {
  const { ids, ats, contents, said, calls, tools, toolNames, others, lost, undos } = cells
  const named = new Uint8Array(types.length + 1)
  const isLine = (line: number, letters: string) =>
    isCount(line) && line > 0 && line <= types.length && letters.includes(types.charAt(line - 1))
  const isOnce = (line: number, letters: string) => {
    if (!isLine(line, letters) || named[line] !== 0) return false
    named[line] = 1
    return true
  }
  return (
    [ids, ats, toolNames, lost].every((texts) => texts.every(isText)) &&
    [ats, contents, said, calls, tools].every(({ length }) => length === ids.length) &&
    new Set(ids).size === ids.length &&
    (called === 0 || isLine(called, letterOf.step)) &&
    contents.every((line) => line === 0 || isOnce(line, letterOf.cell)) &&
    said.every((lines) => lines.every((line) => isOnce(line, letterOf.said))) &&
    undos.every((line) => isOnce(line, letterOf.undo)) &&
    calls.every((names) => names.every(isText)) &&
    tools.every((numbers) => numbers.every((number) => isText(toolNames[number]))) &&
    others.every(
      ([at, { role = '', metadata = 0, given = 0, shortened = 0, undoneBy = '', partial = [] }]) =>
        ids[at] !== undefined &&
        isText(role) &&
        isText(undoneBy) &&
        isCount(shortened) &&
        partial.every((line) => isOnce(line, letterOf.partial)) &&
        (metadata === 0 || isLine(metadata, letterOf.cell)) &&
        (given === 0 || isLine(given, letterOf.request)),
    )
  )
}

const letterOf = {
  step: typeLetter('step'),
  cell: typeLetter('cell') + typeLetter('edit'),
  said: typeLetter('step') + typeLetter('steer') + typeLetter('result'),
  partial: typeLetter('partial'),
  undo: typeLetter('undo'),
  request: typeLetter('request'),
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
