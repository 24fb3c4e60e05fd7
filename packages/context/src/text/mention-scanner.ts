import { scanReferences } from './brackets.js'
import { fenceWalker } from './fences.js'

/** An `@` that may begin a mention, and its possible paths, the longest first. */
export interface MentionSite {
  /** Offset of the `@`. */
  readonly at: number
  /** The most likely path: the quoted one, or the word without the punctuation after it. */
  readonly written: string
  readonly candidates: readonly MentionCandidate[]
}

export interface MentionCandidate {
  /** As written, without quotes. */
  readonly path: string
  /** Offset after it. */
  readonly end: number
}

/**
 * Not after a letter or a digit, because that is an e-mail address. Scripts without blanks between words are not used
 * in those.
 */
const wordEnd = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{N}\p{M}]$/u
/** `@[…]` and `@{…}` are references and commands; `@@` and `@ ` mean nothing. */
const pathStart = /[^\s@[{"'`<>|*?\p{Cc}\p{Cs}]/uy
/** Longer names are ignored, because they would have to be scanned again for every `@` inside them. */
const pathRun = /[^\s"'`<>|*?\p{Cc}\p{Cs}]{1,512}/uy
const quotedPath = /"([^"\r\n]{1,512})"/y
/** The design's own pattern, for words of any script and for English ones. */
const wordPath = /^[\p{L}\p{N}\p{M}/._-]+/u
const englishPath = /^[a-zA-Z0-9/._-]+/
const punctuation = /^[\p{P}\p{S}]$/u

/**
 * Finds where a text may mention files. Fenced code and `@[…]` contain no mentions. Inline code does, because people
 * put file names there. Ask with ascending offsets.
 */
export class MentionScanner {
  readonly #text: string
  readonly #inFence: (offset: number) => boolean
  readonly #inReference: (offset: number) => boolean

  constructor(text: string) {
    this.#text = text
    this.#inFence = fenceWalker(text)
    this.#inReference = referenceWalker(text)
  }

  /** The first site at or after an offset. */
  next(from: number): MentionSite | undefined {
    for (let at = this.#text.indexOf('@', from); at !== -1; at = this.#text.indexOf('@', at + 1)) {
      if (this.#inFence(at) || this.#inReference(at) || isBehindWord(this.#text, at)) continue
      const paths = pathsAt(this.#text, at + 1)
      if (paths && paths.candidates.length > 0) return { at, ...paths }
    }
    return undefined
  }
}

function referenceWalker(text: string): (offset: number) => boolean {
  const references = scanReferences(text)
  let next = 0
  return (offset) => {
    while (next < references.length && (references[next]?.end ?? 0) <= offset) next++
    return offset >= (references[next]?.start ?? Number.POSITIVE_INFINITY)
  }
}

function isBehindWord(text: string, at: number): boolean {
  // Two code units, because a letter may take both.
  return wordEnd.test(text.slice(Math.max(0, at - 2), at))
}

/**
 *     see @src/a.ts的内容, and …
 *         ^^^^^^^^^^^^^^^^       up to a blank
 *         ^^^^^^^^^^^^           a word of any script
 *         ^^^^^^^^               an English one
 */
function pathsAt(text: string, from: number): Omit<MentionSite, 'at'> | undefined {
  const quoted = matchAt(quotedPath, text, from)
  if (quoted) {
    const path = quoted[1] ?? ''
    return { written: path, candidates: [{ path, end: from + quoted[0].length }] }
  }
  if (!matchAt(pathStart, text, from)) return undefined
  const run = matchAt(pathRun, text, from)?.[0] ?? ''
  const word = wordPath.exec(run)?.[0] ?? ''
  const words = [run, word, englishPath.exec(run)?.[0] ?? '']
  const lengths = new Set(words.flatMap(lengthsOf))
  const candidates = [...lengths]
    .filter((length) => length > 0)
    .sort((a, b) => b - a)
    .map((length) => ({ path: run.slice(0, length), end: from + length }))
  return { written: word.slice(0, bareLength(word)), candidates }
}

/**
 * Punctuation at the end of a sentence is not part of a path, unless a file really has that name. So it is tried with
 * the punctuation first, then with less and less of it.
 */
function lengthsOf(word: string): number[] {
  const bare = bareLength(word)
  const steps = [0, 1, 2, 3].map((taken) => word.length - taken)
  return [...steps.filter((length) => length > bare), bare]
}

function bareLength(word: string): number {
  let bare = word.length
  while (bare > 0 && word[bare - 1] !== '/' && punctuation.test(word[bare - 1] ?? '')) bare--
  return bare
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at
  return expression.exec(text) ?? undefined
}
