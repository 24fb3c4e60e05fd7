import * as languages from '@speed-highlight/core/languages'
import { type ShjToken, tokenizeWith } from '@speed-highlight/core/tokenize'
import { type Line, type Span, type Style, span } from '../text/span.js'

/** Colours code line by line. */
export type Highlighter = (line: string) => Line

/** Longer lines stay plain, because patterns would take too long. */
const longestLine = 400
/** So much of a comment or string of several lines is read again with each line. */
const longestCarry = 4096

/**
 * A highlighter for one block of code. The lines of a comment or a string that is still open are read again with the
 * next line. So the colour of a line depends only on earlier lines and never changes afterwards.
 */
export function highlighterFor(name: string): Highlighter {
  const language = grammars[aliases[name] ?? name]
  if (language === undefined) return (line) => [span(line)]
  let carry = ''
  return (line) => {
    const source = carry + line
    const pieces = line.length > longestLine ? undefined : piecesOf(source, language)
    const shown = pieces ? after(pieces, carry.length) : [span(line)]
    const open = pieces ? openPart(source, pieces, language) : ''
    carry = open === '' || open.length > longestCarry ? '' : `${open}\n`
    return shown
  }
}

type Grammar = Parameters<typeof tokenizeWith>[1]

const grammars = languages as Readonly<Record<string, Grammar | undefined>>

interface Piece {
  readonly text: string
  readonly type: ShjToken | undefined
}

/** Undefined if the pieces together are not the text, because a pattern failed. */
function piecesOf(source: string, language: Grammar): Piece[] | undefined {
  const pieces: Piece[] = []
  const known = languages as Readonly<Record<string, Exclude<Grammar, string>>>
  tokenizeWith(source, language, (text, type) => void (text !== '' && pieces.push({ text, type })), {
    languages: known,
  })
  return pieces.map(({ text }) => text).join('') === source ? pieces : undefined
}

/** The pieces after those that were already shown. */
function after(pieces: readonly Piece[], length: number): Line {
  let skip = length
  return pieces.flatMap(({ text, type }): Span[] => {
    const rest = text.slice(skip)
    skip = Math.max(0, skip - text.length)
    const style = type && styles[type]
    return rest === '' ? [] : [span(rest, style)]
  })
}

/** The comment or string at the end, if it continues in the next line. */
function openPart(source: string, pieces: readonly Piece[], language: Grammar): string {
  if (!isEnclosing(pieces.at(-1))) return ''
  const next = piecesOf(`${source}\nx`, language)
  if (!isEnclosing(next?.at(-1))) return ''
  const start = pieces.findLastIndex((piece) => !isEnclosing(piece)) + 1
  return pieces
    .slice(start)
    .map(({ text }) => text)
    .join('')
}

function isEnclosing(piece: Piece | undefined): boolean {
  return piece?.type === 'cmnt' || piece?.type === 'str'
}

const styles: Readonly<Partial<Record<ShjToken, Style>>> = {
  kwd: { color: 'magenta' },
  str: { color: 'green' },
  cmnt: { color: 'gray' },
  num: { color: 'yellow' },
  bool: { color: 'yellow' },
  func: { color: 'blue' },
  class: { color: 'cyan' },
  type: { color: 'cyan' },
  var: { color: 'cyan' },
  section: { bold: true },
  insert: { color: 'green' },
  deleted: { color: 'red' },
  err: { color: 'red' },
  esc: { color: 'cyan' },
}

const aliases: Readonly<Record<string, string>> = {
  ...{ typescript: 'ts', tsx: 'ts', mts: 'ts', cts: 'ts', javascript: 'js', jsx: 'js', mjs: 'js', cjs: 'js' },
  ...{ python: 'py', py3: 'py', sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', fish: 'bash' },
  ...{
    rust: 'rs',
    golang: 'go',
    yml: 'yaml',
    markdown: 'md',
    makefile: 'make',
    dockerfile: 'docker',
    perl: 'pl',
  },
  ...{
    'c++': 'c',
    cpp: 'c',
    cc: 'c',
    h: 'c',
    hpp: 'c',
    cs: 'java',
    csharp: 'java',
    kotlin: 'java',
    patch: 'diff',
  },
  ...{ jsonc: 'json', json5: 'json', svg: 'xml', vue: 'html', cfg: 'ini' },
}
