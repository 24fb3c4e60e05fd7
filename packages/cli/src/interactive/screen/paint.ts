import { displayWidth, isWidthDoubtful } from '../../terminal/display-width.js'
import type { Color, Line, Style } from '../text/span.js'

/** A line in the form that is sent to the terminal, with its width. */
export interface Row {
  readonly text: string
  readonly width: number
  /** Terminals may disagree about the width. */
  readonly isDoubtful: boolean
}

/** Decides which styles of a line are sent. */
export interface Look {
  readonly color: boolean
  readonly links: boolean
}

export const emptyRow: Row = { text: '', width: 0, isDoubtful: false }

export function paintRow(line: Line, look: Look): Row {
  let text = ''
  let width = 0
  let isDoubtful = false
  for (const each of line) {
    if (each.text === '') continue
    const codes = codesOf(each.style, look)
    const shown = codes === '' ? each.text : `\u001b[${codes}m${each.text}\u001b[0m`
    text += look.links && each.href !== undefined ? linked(shown, each.href) : shown
    width += displayWidth(each.text)
    isDoubtful ||= isWidthDoubtful(each.text)
  }
  return { text, width, isDoubtful }
}

/** SGR codes, in the order of their numbers. It runs for every piece of every line, so it builds no lists. */
function codesOf(style: Style | undefined, { color }: Look): string {
  if (style === undefined) return ''
  let codes = ''
  for (const [name, code] of attributes) if (style[name]) codes += codes === '' ? code : `;${code}`
  if (color && style.color) codes += codes === '' ? colors[style.color] : `;${colors[style.color]}`
  return codes
}

const attributes = [
  ['bold', 1],
  ['dim', 2],
  ['italic', 3],
  ['underline', 4],
  ['inverse', 7],
  ['strike', 9],
] as const

const colors: Readonly<Record<Color, number>> = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  gray: 90,
}

/** OSC 8. An address that is not plain ASCII, or not of the web, is left as text. */
function linked(text: string, address: string): string {
  const isSafe = /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/.test(address) && address.length <= 2000
  return isSafe ? `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\` : text
}
