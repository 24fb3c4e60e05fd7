import { safeLine, safeText } from '@mutsumi/schema'
import { displayWidth } from '../../terminal/display-width.js'

const tabWidth = 4

/**
 * Text from elsewhere as lines that are safe to send to a terminal: nothing in it controls the terminal or hides from
 * the reader. Emoji that are joined stay joined.
 */
export function visibleLines(text: string): string[] {
  return mapped(text, safeText).split('\n').map(withoutTabs)
}

/** The same as one line: line ends are spelled out. */
export function visibleLine(text: string): string {
  return mapped(text.replaceAll('\t', ' '), safeLine)
}

/** A joiner between two emoji hides nothing: both are visible. */
const emojiJoiner =
  /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)\u200d(?=\p{Extended_Pictographic})/u

function mapped(text: string, makeSafe: (text: string) => string): string {
  const whole = loneSurrogate.test(text) ? text.replace(loneSurrogates, '\ufffd') : text
  if (!whole.includes('\u200d')) return makeSafe(whole)
  return whole.split(emojiJoiner).map(makeSafe).join('\u200d')
}

const loneSurrogate = /\p{Surrogate}/u
const loneSurrogates = /\p{Surrogate}/gu

/** Replaces tabs with spaces up to the next stop, so that a line's width is known. */
function withoutTabs(line: string): string {
  if (!line.includes('\t')) return line
  const [first = '', ...rest] = line.split('\t')
  return rest.reduce(
    (text, part) => `${text}${' '.repeat(tabWidth - (displayWidth(text) % tabWidth))}${part}`,
    first,
  )
}
