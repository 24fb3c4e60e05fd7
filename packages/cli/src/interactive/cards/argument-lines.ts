import { readableFields } from '@mutsumi/host'
import type { JsonObject } from '@mutsumi/schema'
import { type Line, span } from '../text/span.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'

/** All arguments of a call, each under its name. Nothing of them is hidden, and nothing is JSON. */
export function argumentLines(args: JsonObject): Line[] {
  return readableFields(args, '  ').map(({ label, text }) => [
    span(visibleLine(label), { dim: true }),
    span(visibleLines(text).join(' ')),
  ])
}
