import * as languages from '@speed-highlight/core/languages'
import { type ShjToken, tokenizeWith } from '@speed-highlight/core/tokenize'
import { element, type PageNode } from './elements.js'

/** Longer blocks, and blocks with a longer line, stay plain: patterns would take too long. */
const longest = { block: 40_000, line: 2_000 }

/** Code in the colours of its language, as `code` elements have it; plain if the language is not known. */
export function colouredCode(text: string, language = ''): readonly PageNode[] {
  const [name = ''] = language.toLowerCase().split(/[\s,{:]/, 1)
  const grammar = grammars[aliases[name] ?? name]
  if (grammar === undefined || isTooLong(text)) return [text]
  const pieces: { readonly text: string; readonly type: ShjToken | undefined }[] = []
  tokenizeWith(text, grammar, (piece, type) => void (piece !== '' && pieces.push({ text: piece, type })), {
    languages: grammars as Readonly<Record<string, Exclude<Grammar, string>>>,
  })
  // If a pattern failed, the pieces together are not the text.
  if (pieces.map((piece) => piece.text).join('') !== text) return [text]
  return pieces.map((piece) => {
    const kind = piece.type && kinds[piece.type]
    return kind ? element('span', { class: `code-${kind}` }, [piece.text]) : piece.text
  })
}

function isTooLong(text: string): boolean {
  return text.length > longest.block || text.split('\n').some(({ length }) => length > longest.line)
}

type Grammar = Parameters<typeof tokenizeWith>[1]

const grammars = Object.assign(Object.create(null), languages) as Readonly<
  Record<string, Grammar | undefined>
>

/** The kinds that have a colour. */
const kinds: Readonly<Partial<Record<ShjToken, string>>> = {
  ...{ kwd: 'keyword', str: 'string', cmnt: 'comment', num: 'number', bool: 'keyword', esc: 'keyword' },
  ...{ func: 'function', class: 'type', type: 'type', var: 'name', section: 'keyword' },
  ...{ insert: 'added', deleted: 'removed', err: 'removed' },
}

/** Names that models write for a language, besides its own. The nearest relative does for languages without a grammar. */
const aliases: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...{ typescript: 'ts', tsx: 'ts', mts: 'ts', cts: 'ts', javascript: 'js', jsx: 'js', mjs: 'js', cjs: 'js' },
  ...{ python: 'py', python3: 'py', sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', fish: 'bash' },
  ...{ rust: 'rs', golang: 'go', yml: 'yaml', markdown: 'md', makefile: 'make', dockerfile: 'docker' },
  ...{ perl: 'pl', 'c++': 'c', cpp: 'c', cc: 'c', h: 'c', hpp: 'c', cs: 'java', csharp: 'java' },
  ...{ kotlin: 'java', swift: 'java', patch: 'diff', jsonc: 'json', json5: 'json', svg: 'xml' },
  ...{ vue: 'html', cfg: 'ini', text: 'plain', txt: 'plain' },
})
