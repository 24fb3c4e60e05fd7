import { recordedPath } from '../history/records.js'
import { headOf } from '../text/cut-text.js'
import { headLine } from '../text/short-text.js'

/** A model's words about a file. */
export interface FileWords {
  /** Spelled as in the records. Empty if the words do not name a file. */
  readonly path: string
  readonly words: string
}

/** Separates the facts about a file from the model's words about it. */
const mark = "The model's words: "

/** How much of a model's words about one file a summary keeps. */
const wordsLength = 200

/**
 * Words after the facts, marked as the model's. Typographic quotes inside are replaced, so that no words can seem to
 * be facts after them.
 */
export function markedWords(words: string): string {
  return `${mark}“${headLine(words, wordsLength).replace(/[“”]/g, '"')}”`
}

/**
 * Parses a model's list of files, one file per line. Following lines without a file continue the words.
 *
 *     * `src/auth.ts`: splits the header once.
 *     * `a.ts`, `b.ts` - renamed
 *     * **package.json**: zod added
 */
export function readFileWords(body: string): readonly FileWords[] {
  const found = new Map<string, string[]>()
  let open: readonly string[] = ['']
  for (const line of body.split('\n').map(headOfLine)) {
    const text = withoutBullet(line)
    if (text === '' || isOurs(text)) continue
    const named = namedFiles(text)
    if (named.paths.length > 0) open = named.paths
    else if (!isContinued(line)) open = ['']
    for (const path of open) addWords(found, path, named.rest)
  }
  return [...found].map(([path, words]) => ({ path, words: words.join(' ') }))
}

/** More of a line than is ever kept. It limits the work of the patterns below, which scan it several times. */
function headOfLine(line: string): string {
  return headOf(line, 600)
}

function addWords(found: Map<string, string[]>, path: string, words: string): void {
  const known = found.get(path)
  if (known) known.push(words)
  else found.set(path, [words])
}

const bullet = /^\s*(?:[*+-]|\d{1,3}[.)])\s+/

function withoutBullet(line: string): string {
  return line.replace(bullet, '').trim()
}

/** An indented line belongs to the file above it. */
function isContinued(line: string): boolean {
  return /^(?: {2,}|\t)/.test(line)
}

/** Lines that say nothing about one file: notes such as `(none)`, and lines of our own lists about several files. */
function isOurs(text: string): boolean {
  return /^\*?\([^()]*\)\*?$/.test(text) || text.startsWith('Only read:')
}

interface NamedFiles {
  readonly paths: readonly string[]
  readonly rest: string
}

/** The files at the beginning of a line, and the words after them. */
function namedFiles(text: string): NamedFiles {
  const paths: string[] = []
  let rest = text
  for (let span = fileSpan(rest); span; span = fileSpan(rest)) {
    paths.push(recordedPath(span.path))
    rest = rest.slice(span.length)
  }
  if (paths.length === 0) {
    const bare = /^([^\s:`*]*[./][^\s:`*]*?)(?::\s+|\s+[-–—]+\s+)(?=\S)/.exec(text)
    if (bare?.[1] === undefined) return { paths, rest: ownWords(text) }
    return { paths: [recordedPath(bare[1])], rest: ownWords(text.slice(bare[0].length)) }
  }
  return { paths, rest: ownWords(rest.replace(/^[\s:–—-]+/, '')) }
}

/** A path in code or bold type at the start of a text, with the separator before the next one. */
function fileSpan(text: string): { readonly path: string; readonly length: number } | undefined {
  const found = /^(?:(`{1,5}) ?(.+?) ?\1(?!`)|\*\*`?([^*`]+)`?\*\*)(?:\s*(?:,|&|and\b)\s*(?=[`*]))?/.exec(
    text,
  )
  const path = (found?.[2] ?? found?.[3])?.trim()
  // A name with more marks could not be written so that it is read again.
  return found && path && !path.includes('`````') ? { path, length: found[0].length } : undefined
}

/**
 * A model may imitate the wording of our own lists. Facts in such a line are dropped, because only records state
 * facts.
 */
function ownWords(text: string): string {
  const at = text.indexOf(mark)
  if (at === -1) return text
  const words = text.slice(at + mark.length)
  const [, quoted] = /^“(.*)”$/.exec(words) ?? []
  return quoted ?? words
}
