/** A colour of the terminal's own palette, which fits light and dark themes. */
export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray'

/** Colour and emphasis of a text. */
export interface Style {
  readonly color?: Color
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strike?: boolean
  readonly inverse?: boolean
}

/** A piece of a line in one style. Its text has no control characters. */
export interface Span {
  readonly text: string
  readonly style?: Style
  /** An address that the terminal may open. */
  readonly href?: string
}

/** One line of text, of any length. */
export type Line = readonly Span[]

export function span(text: string, style?: Style): Span {
  return style ? { text, style } : { text }
}

/** Adds a style to all words of a line. A style that they already have goes first. */
export function restyle(line: Line, style: Style): Line {
  return line.map((each) => ({ ...each, style: { ...style, ...each.style } }))
}

export function lineText(line: Line): string {
  return line.map(({ text }) => text).join('')
}
