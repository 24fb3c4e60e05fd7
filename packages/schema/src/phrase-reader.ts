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
  read(text: string): (Phrase & { readonly code: Code }) | undefined {
    if (text.length > longest) return undefined
    for (const { code, pieces, inner } of this.#all()) {
      const args = argumentsIn(text, pieces)
      if (args) return { code, args: args.map((arg, at) => (inner.has(at) ? (this.read(arg) ?? arg) : arg)) }
    }
    return undefined
  }

  /** Templates with more words of their own come first: `no rule allows Write on a.ts` also begins as a shorter one. */
  #all(): readonly PhrasePattern<Code>[] {
    this.#patterns ??= (Object.entries(this.#templates) as [Code, string][])
      .sort(([, one], [, other]) => ownWords(other) - ownWords(one))
      .map(([code, template]) => patternOf(code, template))
    return this.#patterns
  }
}

/** Longer texts are results, not phrases. */
const longest = 1000

interface PhrasePattern<Code> {
  readonly code: Code
  /** Its own words: before, between and after the arguments. */
  readonly pieces: readonly string[]
  /** The numbers of the arguments that are phrases. */
  readonly inner: ReadonlySet<number>
}

function patternOf<Code>(code: Code, template: string): PhrasePattern<Code> {
  return {
    code,
    pieces: template.split(hole),
    inner: new Set([...template.matchAll(/\{(\d)!\}/g)].map(([, at]) => Number(at))),
  }
}

const hole = /\{\d!?\}/

function ownWords(template: string): number {
  return template.split(hole).join('').length
}

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
