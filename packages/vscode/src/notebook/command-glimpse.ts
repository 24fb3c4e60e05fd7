import { commandOutput, type ShownOutput } from '@mutsumi/host'
import type { JsonObject } from '@mutsumi/schema'

const firstShown = 5
const lastShown = 8

/** The output of a command as its card shows it: its first lines and, if it failed, the end with what it wrote as errors. */
export interface CommandGlimpse {
  /** Null if it did not exit by itself. */
  readonly exitCode: number | null
  readonly first: readonly string[]
  /** So many lines are between the first and the last ones. */
  readonly left: number
  readonly last: readonly GlimpseLine[]
}

export interface GlimpseLine {
  readonly text: string
  /** It was written to the error stream. */
  readonly isError: boolean
}

/** Undefined if the result is not that of a command, or if the session keeps only the ends of its output. */
export function glimpseIn(data: JsonObject): CommandGlimpse | undefined {
  const output = commandOutput(data)
  return output && commandGlimpse(output)
}

export function commandGlimpse(output: ShownOutput): CommandGlimpse {
  const { exitCode } = output
  const all = linesOf(output.text)
  // A hint about one more line takes as much room as the line.
  const isShort = all.length <= firstShown + 1
  const first = isShort ? all : all.slice(0, firstShown)
  const rest = all.slice(first.length)
  if (exitCode === 0) return { exitCode, first, left: rest.length, last: [] }
  const errors = linesOf(output.errors)
  const isError = new Set(errors)
  if (all.length <= firstShown + lastShown)
    return { exitCode, first: [], left: 0, last: all.map((text) => ({ text, isError: isError.has(text) })) }
  const last = lastOf(rest, isError)
  return { exitCode, first, left: rest.length - last.length, last }
}

/** The end of what was written as errors. Without any, programs write them to the other stream. */
function lastOf(lines: readonly string[], errors: ReadonlySet<string>): readonly GlimpseLine[] {
  const marked = lines.map((text) => ({ text, isError: errors.has(text) }))
  const red = marked.filter(({ isError }) => isError)
  return (red.length > 0 ? red : marked).slice(-lastShown)
}

function linesOf(output: string): readonly string[] {
  // If a line was overwritten, as progress bars are, only its last state is shown. Colours are left out.
  const text = output.replace(colours, '').replace(/[^\n]*\r(?!\n|$)/g, '')
  const trimmed = text.trimEnd()
  return trimmed === '' ? [] : trimmed.split(/\r?\n/)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with Esc.
const colours = /\u001b\[[\d;:]*m/g
