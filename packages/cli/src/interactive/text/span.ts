/** A colour of the terminal's own palette: it fits light and dark. */
export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray'

/** How a text looks. */
export interface Style {
  readonly color?: Color
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strike?: boolean
  readonly inverse?: boolean
}

/** A piece of a line that looks alike. Its text holds no control character. */
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

/** The same words in one more style; a style of their own goes first. */
export function restyle(line: Line, style: Style): Line {
  return line.map((each) => ({ ...each, style: { ...style, ...each.style } }))
}

export function lineText(line: Line): string {
  return line.map(({ text }) => text).join('')
}
