import { lexer, type Token, type Tokens } from 'marked'
import { colouredCode } from './code.js'
import { build, copyButton, element, type PageElement, type PageNode } from './elements.js'
import { type FilePlace, linkedPlace, piecesWithPlaces, placeIn } from './file-links.js'
import type { RendererWords } from './words.js'

/** Words and acts of shown Markdown. */
export interface MarkdownTools {
  readonly words: RendererWords
  /** Opens a file; undefined if nobody can. */
  readonly openFile?: ((place: FilePlace) => void) | undefined
}

/** Shows Markdown block by block. A block that did not change is not drawn again. */
export function drawMarkdown(target: HTMLElement, text: string, tools: MarkdownTools): void {
  const blocks = blocksIn(text)
  for (const [index, block] of blocks.entries()) {
    const before = target.children[index] as HTMLElement | undefined
    if (before && raws.get(before) === block.raw) continue
    const drawn = build(shownBlock(block, tools))
    raws.set(drawn, block.raw)
    if (before) before.replaceWith(drawn)
    else target.append(drawn)
  }
  while (target.children.length > blocks.length) target.lastElementChild?.remove()
}

/** The source of each block. */
const raws = new WeakMap<HTMLElement, string>()

/** Markdown as elements. HTML from a model or a file stays text, and no picture is loaded. */
export function shownMarkdown(text: string, tools: MarkdownTools): readonly PageElement[] {
  return blocksIn(text).map((block) => shownBlock(block, tools))
}

function blocksIn(text: string): readonly Token[] {
  return lexer(text, { gfm: true }).filter(({ type }) => type !== 'space')
}

function shownBlock(token: Token, tools: MarkdownTools): PageElement {
  switch (token.type) {
    case 'heading':
      return element(`h${Math.min(6, token.depth)}`, {}, inline(token.tokens, tools))
    case 'code':
      return codeBlock(token as Tokens.Code, tools)
    case 'blockquote':
      return element('blockquote', {}, innerBlocks(token.tokens, tools))
    case 'list':
      return list(token as Tokens.List, tools)
    case 'table':
      return table(token as Tokens.Table, tools)
    case 'hr':
      return element('hr')
    case 'paragraph':
      return element('p', {}, inline(token.tokens, tools))
    default:
      return element(
        'p',
        {},
        'tokens' in token && token.tokens ? inline(token.tokens, tools) : [textOf(token)],
      )
  }
}

function innerBlocks(tokens: readonly Token[] | undefined, tools: MarkdownTools): PageElement[] {
  return (tokens ?? []).filter(({ type }) => type !== 'space').map((token) => shownBlock(token, tools))
}

function codeBlock({ text, lang }: Tokens.Code, { words }: MarkdownTools): PageElement {
  const code = element('code', lang ? { 'data-language': lang } : {}, colouredCode(text, lang))
  return element('div', { class: 'code' }, [
    element('pre', { tabindex: '0' }, [code]),
    copyButton(text, words),
  ])
}

function list({ ordered, start, items }: Tokens.List, tools: MarkdownTools): PageElement {
  const drawn = items.map((item) => {
    const attributes = item.task ? { class: 'task' } : undefined
    return element('li', attributes, listItem(item, tools))
  })
  return element(ordered ? 'ol' : 'ul', ordered && start !== 1 ? { start: String(start) } : {}, drawn)
}

/** The lexer has the box of a task as a token before the words, or in their first paragraph. */
function listItem({ tokens }: Tokens.ListItem, tools: MarkdownTools): PageNode[] {
  return tokens.flatMap((token): PageNode[] =>
    token.type === 'text' || token.type === 'checkbox'
      ? inline(token.type === 'text' && 'tokens' in token ? token.tokens : [token], tools)
      : token.type === 'space'
        ? []
        : [shownBlock(token, tools)],
  )
}

function table({ header, rows, align }: Tokens.Table, tools: MarkdownTools): PageElement {
  const row = (cells: readonly Tokens.TableCell[], tag: string) =>
    element(
      'tr',
      {},
      cells.map((cell, column) => {
        const side = align[column]
        return element(tag, side ? { class: `align-${side}` } : {}, inline(cell.tokens, tools))
      }),
    )
  return element('table', {}, [
    element('thead', {}, [row(header, 'th')]),
    element(
      'tbody',
      {},
      rows.map((cells) => row(cells, 'td')),
    ),
  ])
}

function inline(tokens: readonly Token[] | undefined, tools: MarkdownTools): PageNode[] {
  return (tokens ?? []).flatMap((token): PageNode[] => {
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del':
        return [element(token.type, {}, inline(token.tokens, tools))]
      case 'codespan':
        return [codeSpan(unescaped(token.text), tools)]
      case 'checkbox':
        return [element('span', { class: 'box' }, [token.checked ? '☑ ' : '☐ '])]
      case 'br':
        return [element('br')]
      case 'link':
        return [link(token.href, inlineOfLink(token.tokens, tools), tools)]
      case 'image':
        return [link(token.href, [token.text || token.href], tools)]
      default:
        return 'tokens' in token && token.tokens
          ? [element('span', {}, inline(token.tokens, tools))]
          : withFiles(unescaped(textOf(token)), tools)
    }
  })
}

/** A link does not contain links to files. */
function inlineOfLink(tokens: readonly Token[] | undefined, { words }: MarkdownTools): PageNode[] {
  return inline(tokens, { words })
}

function codeSpan(text: string, tools: MarkdownTools): PageElement {
  const code = element('code', {}, [text])
  const place = tools.openFile && placeIn(text)
  return place ? fileLink(place, [code], tools) : code
}

function withFiles(text: string, tools: MarkdownTools): PageNode[] {
  if (!tools.openFile) return [text]
  return piecesWithPlaces(text).map((piece) =>
    piece.place ? fileLink(piece.place, [piece.text], tools) : piece.text,
  )
}

/** A button, because the editor would look for the target of a link in the folder of the session. */
export function fileLink(
  place: FilePlace,
  content: readonly PageNode[],
  { openFile }: Pick<MarkdownTools, 'openFile'>,
): PageElement {
  const title = place.line === undefined ? place.path : `${place.path}:${place.line}`
  const act: NonNullable<PageElement['act']> = (event) => {
    // In the summary of a card, a click would also open the card.
    event.preventDefault()
    openFile?.(place)
  }
  return { ...element('button', { type: 'button', class: 'link file', title }, content), act }
}

/** Only addresses that a user may want to open become links. */
function link(href: string, content: readonly PageNode[], tools: MarkdownTools): PageElement {
  const place = linkedPlace(href)
  if (place && tools.openFile) return fileLink(place, content, tools)
  return /^(?:https?:|mailto:)/i.test(href)
    ? element('a', { href, title: href }, content)
    : element('span', {}, content)
}

function textOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw
}

/** The lexer escapes some texts for HTML, which we do not write. */
function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
