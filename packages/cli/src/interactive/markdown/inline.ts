import type { Token, Tokens } from 'marked'
import { type Line, restyle, type Span, span } from '../text/span.js'

/** The content of a paragraph as lines. Line ends of the text are kept. */
export function inlineLines(tokens: readonly Token[]): Line[] {
  const lines: Span[][] = [[]]
  for (const each of tokens.flatMap(spansOf)) {
    const [first = '', ...rest] = each.text.split('\n')
    lines.at(-1)?.push({ ...each, text: first })
    for (const text of rest) lines.push([{ ...each, text }])
  }
  return lines
}

function spansOf(token: Token): Line {
  switch (token.type) {
    case 'strong':
      return restyle(inner(token), { bold: true })
    case 'em':
      return restyle(inner(token), { italic: true })
    case 'del':
      return restyle(inner(token), { strike: true })
    case 'codespan':
      return [span(token.text, { color: 'cyan' })]
    case 'br':
      return [span('\n')]
    case 'checkbox':
      return [span(token.raw)]
    case 'escape':
      return [span(token.text)]
    case 'link':
      return linkSpans(token as Tokens.Link)
    case 'image':
      return [span(token.text, { italic: true }), ...address(token as Tokens.Image)]
    case 'text':
      return 'tokens' in token && token.tokens ? token.tokens.flatMap(spansOf) : [span(token.text)]
    default:
      // HTML and unknown tokens are shown as they are written.
      return [span(token.raw)]
  }
}

function inner(token: Token): Line {
  return 'tokens' in token && token.tokens ? token.tokens.flatMap(spansOf) : [span(token.raw)]
}

/** Always shows the address, so that a link cannot lead to another place than its text says. */
function linkSpans(token: Tokens.Link): Line {
  const text = restyle(token.tokens.flatMap(spansOf), { underline: true }).map((each) => ({
    ...each,
    href: token.href,
  }))
  const isSaid = token.text === token.href || `mailto:${token.text}` === token.href
  return isSaid ? text : [...text, ...address(token)]
}

function address({ href, title }: Pick<Tokens.Link, 'href' | 'title'>): Line {
  return [span(` (${href}${title ? ` "${title}"` : ''})`, { dim: true })]
}
