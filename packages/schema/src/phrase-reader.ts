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
    for (const { code, words, pattern, inner } of this.#all()) {
      const found = text.includes(words) ? pattern.exec(text) : null
      if (found)
        return {
          code,
          args: found.slice(1).map((arg, at) => (inner.has(at) ? (this.read(arg) ?? arg) : arg)),
        }
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
  /** Its longest piece between arguments. Most texts do not contain it, and need no pattern. */
  readonly words: string
  readonly pattern: RegExp
  /** The numbers of the arguments that are phrases. */
  readonly inner: ReadonlySet<number>
}

function patternOf<Code>(code: Code, template: string): PhrasePattern<Code> {
  return {
    code,
    words: template.split(hole).reduce((one, other) => (other.length > one.length ? other : one)),
    pattern: new RegExp(`^${template.split(hole).map(escaped).join('(.*?)')}$`, 's'),
    inner: new Set([...template.matchAll(/\{(\d)!\}/g)].map(([, at]) => Number(at))),
  }
}

const hole = /\{\d!?\}/

function ownWords(template: string): number {
  return template.split(hole).join('').length
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
