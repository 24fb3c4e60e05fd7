import type { Phrase, PhraseTemplates } from './phrase.js'

/**
 * Reads phrases back from their words, because sessions and requests have words that a model reads. Use it for what a
 * person looks at, not for what somebody decides: an argument may look like a template.
 */
export class PhraseReader<Code extends string> {
  readonly #templates: PhraseTemplates<Code>
  #patterns: readonly PhrasePattern<Code>[] | undefined

  constructor(templates: PhraseTemplates<Code>) {
    this.#templates = templates
  }

  /** Undefined if they are other words. */
  read(text: string): CodedPhrase<Code> | undefined {
    return text.length > longest ? undefined : this.#read(text, new Map())?.phrase
  }

  /** Each part is read once, because several templates may divide a text at the same places. */
  #read(text: string, known: Map<string, Understood<Code> | undefined>): Understood<Code> | undefined {
    if (!known.has(text)) known.set(text, this.#readNew(text, known))
    return known.get(text)
  }

  /** The first template whose inner phrases are all known; else the one that explains most of the words. */
  #readNew(text: string, known: Map<string, Understood<Code> | undefined>): Understood<Code> | undefined {
    let best: Understood<Code> | undefined
    for (const { code, pieces, inner, ownWords } of this.#all()) {
      const args = argumentsIn(text, pieces)
      if (!args) continue
      const readings = args.map((arg, at) => (inner.has(at) ? this.#read(arg, known) : undefined))
      const isWhole = readings.every((reading, at) => !inner.has(at) || reading?.isWhole)
      const phrase = { code, args: args.map((arg, at) => readings[at]?.phrase ?? arg) }
      if (isWhole) return { phrase, isWhole, ownWords }
      if (!best || ownWords > best.ownWords) best = { phrase, isWhole, ownWords }
    }
    return best
  }

  /**
   * Templates with more inner phrases come first: `Bash can execute and was not permitted: a could read files that …`
   * is about the permission. Then those with more words of their own: `no rule allows Write on a.ts` also begins as a
   * shorter one.
   */
  #all(): readonly PhrasePattern<Code>[] {
    this.#patterns ??= (Object.entries(this.#templates) as [Code, string][])
      .map(([code, template]) => patternOf(code, template))
      .sort((one, other) => other.inner.size - one.inner.size || other.ownWords - one.ownWords)
    return this.#patterns
  }
}

/** Longer texts are results, not phrases. */
const longest = 1000

type CodedPhrase<Code> = Phrase & { readonly code: Code }

interface Understood<Code> {
  readonly phrase: CodedPhrase<Code>
  /** Whether each inner phrase was read too. */
  readonly isWhole: boolean
  readonly ownWords: number
}

interface PhrasePattern<Code> {
  readonly code: Code
  /** Its own words: before, between and after the arguments. */
  readonly pieces: readonly string[]
  /** The numbers of the arguments that are phrases. */
  readonly inner: ReadonlySet<number>
  /** How many letters its pieces have. */
  readonly ownWords: number
}

function patternOf<Code>(code: Code, template: string): PhrasePattern<Code> {
  const pieces = template.split(hole)
  const inner = new Set([...template.matchAll(/\{(\d)!\}/g)].map(([, at]) => Number(at)))
  return { code, pieces, inner, ownWords: pieces.join('').length }
}

const hole = /\{\d!?\}/

/**
 * The texts between the pieces, each as short as possible. It takes linear time for any text, because a piece that is
 * found early leaves the most room for the others.
 */
function argumentsIn(text: string, pieces: readonly string[]): string[] | undefined {
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return text === first ? [] : undefined
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined
  const args: string[] = []
  let from = first.length
  for (const piece of rest) {
    const at = text.indexOf(piece, from)
    if (at === -1) return undefined
    args.push(text.slice(from, at))
    from = at + piece.length
  }
  const end = text.length - last.length
  return end < from ? undefined : [...args, text.slice(from, end)]
}
