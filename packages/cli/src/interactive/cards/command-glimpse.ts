import type { ShownOutput } from '@mutsumi/host'
import { type Line, span } from '../text/span.js'
import { truncate } from '../text/truncate.js'
import type { CardOptions } from './tool-card.js'
import { outputLines } from './tool-output.js'

const firstShown = 5
const lastShown = 8
/** If less is in the error stream, programs usually write their errors to the other one. */
const leastErrors = 3

/** The first lines of a command's output. If the command failed: the end, with what it wrote as errors in red. */
export function commandGlimpse(
  output: ShownOutput,
  { width, words, canOpen }: CardOptions & { readonly canOpen: boolean },
): Line[] {
  const all = outputLines(output.text)
  const hasFailed = output.exitCode !== 0
  const errors = hasFailed ? outputLines(output.errors) : []
  const source = errors.length >= leastErrors ? errors : all
  const isRed = new Set(errors)
  const shown = hasFailed ? source.slice(-lastShown) : firstOf(source)
  const left = all.length - shown.length
  const line = (text: string) =>
    truncate([span(`  ${text}`, isRed.has(text) ? { color: 'red' } : { dim: true })], width)
  const { moreLines, moreLinesHere } = words.work
  const said = canOpen ? moreLines(left) : moreLinesHere(left)
  const more: Line[] = left > 0 ? [truncate([span(`  ${said}`, { dim: true })], width)] : []
  return hasFailed ? [...more, ...shown.map(line)] : [...shown.map(line), ...more]
}

/** The first lines of a server's answer, unless its card says all of it. */
export function answerGlimpse(
  text: string,
  { width, words, canOpen }: CardOptions & { readonly canOpen: boolean },
): Line[] {
  const all = outputLines(text)
  const shown = all.length > 1 ? firstOf(all) : []
  const left = all.length - shown.length
  const { moreLines, moreLinesHere } = words.work
  const more = shown.length > 0 && left > 0 ? [canOpen ? moreLines(left) : moreLinesHere(left)] : []
  return [...shown, ...more].map((line) => truncate([span(`  ${line}`, { dim: true })], width))
}

/** A hint about one more line takes as much room as the line. */
function firstOf(lines: readonly string[]): readonly string[] {
  return lines.length === firstShown + 1 ? lines : lines.slice(0, firstShown)
}
