import { lexer, type Token, type Tokens } from 'marked'
import { copyButton, element } from './elements.js'
import type { RendererWords } from './words.js'

/**
 * Shows Markdown block by block. A block that did not change is not drawn again. Nodes are built one by one, so HTML
 * from a model or a file is never interpreted as HTML, and no picture is loaded.
 */
export function drawMarkdown(target: HTMLElement, text: string, words: RendererWords): void {
  const blocks = lexer(text, { gfm: true }).filter(({ type }) => type !== 'space')
  for (const [index, block] of blocks.entries()) {
    const before = target.children[index] as HTMLElement | undefined
    if (before && raws.get(before) === block.raw) continue
    const drawn = drawBlock(block, words)
    raws.set(drawn, block.raw)
    if (before) before.replaceWith(drawn)
    else target.append(drawn)
  }
  while (target.children.length > blocks.length) target.lastElementChild?.remove()
}

/** The source of each block. */
const raws = new WeakMap<HTMLElement, string>()

function drawBlock(token: Token, words: RendererWords): HTMLElement {
  switch (token.type) {
    case 'heading':
      return element(`h${Math.min(6, token.depth)}`, {}, inline(token.tokens))
    case 'code':
      return codeBlock(token as Tokens.Code, words)
    case 'blockquote':
      return element('blockquote', {}, blocksOf(token.tokens, words))
    case 'list':
      return list(token as Tokens.List, words)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return element('hr')
    case 'paragraph':
      return element('p', {}, inline(token.tokens))
    default:
      return element('p', {}, 'tokens' in token && token.tokens ? inline(token.tokens) : [textOf(token)])
  }
}

function blocksOf(tokens: readonly Token[] | undefined, words: RendererWords): Node[] {
  return (tokens ?? []).filter(({ type }) => type !== 'space').map((token) => drawBlock(token, words))
}

function codeBlock({ text, lang }: Tokens.Code, words: RendererWords): HTMLElement {
  const code = element('code', lang ? { 'data-language': lang } : {}, [text])
  return element('div', { class: 'code' }, [
    element('pre', { tabindex: '0' }, [code]),
    copyButton(text, words),
  ])
}

function list({ ordered, start, items }: Tokens.List, words: RendererWords): HTMLElement {
  const drawn = items.map((item) => {
    const content = item.tokens.flatMap((token): Node[] =>
      token.type === 'text' ? inline('tokens' in token ? token.tokens : [token]) : [drawBlock(token, words)],
    )
    const box = item.task ? [element('span', { class: 'task' }, [item.checked ? '☑ ' : '☐ '])] : []
    return element('li', {}, [...box, ...content])
  })
  return element(ordered ? 'ol' : 'ul', ordered && start !== 1 ? { start: String(start) } : {}, drawn)
}

function table({ header, rows }: Tokens.Table): HTMLElement {
  const row = (cells: readonly Tokens.TableCell[], tag: string) =>
    element(
      'tr',
      {},
      cells.map((cell) => element(tag, {}, inline(cell.tokens))),
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

function inline(tokens: readonly Token[] | undefined): Node[] {
  return (tokens ?? []).map((token) => {
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del':
        return element(token.type, {}, inline(token.tokens))
      case 'codespan':
        return element('code', {}, [unescaped(token.text)])
      case 'br':
        return element('br')
      case 'link':
        return link(token.href, inline(token.tokens))
      case 'image':
        return link(token.href, [document.createTextNode(token.text || token.href)])
      default:
        return 'tokens' in token && token.tokens
          ? element('span', {}, inline(token.tokens))
          : document.createTextNode(unescaped(textOf(token)))
    }
  })
}

/** Only addresses that a user may want to open become links. */
function link(href: string, content: Node[]): HTMLElement {
  return /^(?:https?:|mailto:|file:|[^:]*$)/i.test(href)
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
