import { Lexer, type Token, type Tokens } from 'marked'
import { type Line, lineText, restyle, span } from '../text/span.js'
import { wrap } from '../text/wrap.js'
import { inlineLines } from './inline.js'
import { tableLines } from './table.js'

const longestText = 20_000
/** In a longer paragraph, the search for pairs of marks would take too long. */
const longestParagraph = 3000
/** Quotes and lists that are nested too deeply to read. */
const tooDeep = /^(?:\s*(?:>|[-*+]|\d+[.)])\s*){12}/m

/** Renders a block of safe Markdown. If the result would lose a letter, the block is shown as it is written. */
export function renderText(text: string, width: number): Line[] {
  if (text.length > longestText || tooDeep.test(text)) return asWritten(text, width)
  const lines = blockLines(new BoundedLexer().lex(text), width)
  return hasAll(lines.map(lineText).join('\n'), text) ? lines : asWritten(text, width)
}

/** Does not look for marks in a paragraph that is too long. */
class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length <= longestParagraph) return super.inlineTokens(source, tokens)
    tokens.push({ type: 'text', raw: source, text: source })
    return tokens
  }
}

function asWritten(text: string, width: number): Line[] {
  return text.split('\n').flatMap((line) => wrap([span(line)], width))
}

/** Whether every letter and digit of `source` is in `shown`, in the same order. */
function hasAll(shown: string, source: string): boolean {
  const letters = source.replace(noLetter, '')
  let at = 0
  for (let index = 0; index < shown.length && at < letters.length; ) {
    const length = isPair(shown, index) ? 2 : 1
    const isSame =
      shown.charCodeAt(index) === letters.charCodeAt(at) &&
      (length === 1 || shown.charCodeAt(index + 1) === letters.charCodeAt(at + 1))
    if (isSame) at += length
    index += length
  }
  return at === letters.length
}

/** A character of two units. */
function isPair(text: string, at: number): boolean {
  const first = text.charCodeAt(at)
  const second = text.charCodeAt(at + 1)
  return first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000
}

const noLetter = /[^\p{L}\p{N}]+/gu

function blockLines(tokens: readonly Token[], width: number): Line[] {
  return tokens.flatMap((token) => tokenLines(token, Math.max(8, width)))
}

function tokenLines(token: Token, width: number): Line[] {
  switch (token.type) {
    case 'space':
      return /\n[^\n]*\n/.test(token.raw) ? [[]] : []
    case 'heading':
      return headingLines(token as Tokens.Heading, width)
    case 'paragraph':
    case 'text':
      return wrapped(inlineLines('tokens' in token && token.tokens ? token.tokens : [token]), width)
    case 'list':
      return (token as Tokens.List).items.flatMap((item) => itemLines(item, width))
    case 'blockquote':
      return quoteLines(token as Tokens.Blockquote, width)
    case 'table':
      return tableLines(token as Tokens.Table, width)
    case 'code':
      return codeLines(token as Tokens.Code)
    case 'hr':
      return [[span('─'.repeat(Math.min(width, 40)), { dim: true })]]
    default:
      return asWritten(token.raw.replace(/\n+$/, ''), width)
  }
}

function wrapped(lines: readonly Line[], width: number): Line[] {
  return lines.flatMap((line) => wrap(line, width))
}

function headingLines({ depth, tokens }: Tokens.Heading, width: number): Line[] {
  const mark = span(`${'#'.repeat(depth)} `, { dim: true })
  const lines = inlineLines(tokens).map((line) => restyle(line, { bold: true, underline: depth === 1 }))
  return wrapped(
    lines.map((line, index) => (index === 0 ? [mark, ...line] : line)),
    width,
  )
}

/** The number or bullet, then the item. Code still begins at the left edge, so that it can be copied. */
function itemLines({ raw, tokens }: Tokens.ListItem, width: number): Line[] {
  const [, number] = /^\s*(\d+[.)])/.exec(raw) ?? []
  const mark = `${number ?? '•'} `
  const indent = ' '.repeat(mark.length)
  let isFirst = true
  return withBox(tokens).flatMap((token) => {
    const lines = tokenLines(token, Math.max(8, width - mark.length))
    if (token.type === 'code') return lines
    return lines.map((line): Line => {
      if (line.length === 0) return line
      const before = isFirst ? span(mark, { color: 'cyan' }) : span(indent)
      isFirst = false
      return [before, ...line]
    })
  })
}

/** The box of a task belongs to the text after it. */
function withBox([first, second, ...rest]: readonly Token[]): readonly Token[] {
  if (first?.type !== 'checkbox' || second?.type !== 'text')
    return [first, second, ...rest].filter((each) => each !== undefined)
  const inner = 'tokens' in second && second.tokens ? second.tokens : [second]
  return [{ ...second, tokens: [first, ...inner] }, ...rest]
}

function quoteLines({ tokens }: Tokens.Blockquote, width: number): Line[] {
  return blockLines(tokens, width - 2).map((line) => [
    span('│ ', { color: 'green' }),
    ...restyle(line, { italic: true }),
  ])
}

/** Code as it is written, with its fences. */
function codeLines({ raw, text, codeBlockStyle }: Tokens.Code): Line[] {
  const lines = text.split('\n').map((line): Line => [span(line)])
  if (codeBlockStyle === 'indented') return lines
  const [first = ''] = raw.trimStart().split('\n', 1)
  const mark = /^[`~]+/.exec(first)?.[0] ?? '```'
  return [[span(first.trimEnd(), { dim: true })], ...lines, [span(mark, { dim: true })]]
}
