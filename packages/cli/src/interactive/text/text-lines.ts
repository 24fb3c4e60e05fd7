import { fitLines } from '../../terminal/fit-lines.js'
import { type Line, type Style, span } from './span.js'
import { visibleLine, visibleLines } from './visible-text.js'
import { wrap } from './wrap.js'

/** A text as lines that are printed as they are, never wrapped: something to copy. */
export function textLines(text: string): Line[] {
  return visibleLines(text.replace(/\n$/, '')).map((line) => [span(line)])
}

/** A text for people to read, such as a table: lines that are wider than the screen are wrapped. */
export function tableLines(text: string): Line[] {
  return textLines(fitLines(text))
}

/** A sentence as rows that fit. */
export function sentence(text: string, width: number, style?: Style): Line[] {
  return wrap([span(visibleLine(text), style)], width)
}
