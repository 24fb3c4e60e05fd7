import { englishReasons, type Reason, type ReasonCode } from './reason.js'

/**
 * Reads a reason back from its English words, because a session records results as a model reads them. Undefined if
 * they are other words. Use it for what a person looks at, not for what somebody decides.
 */
export function readReason(text: string): Reason | undefined {
  if (text.length > longest) return undefined
  for (const { code, words, pattern, inner } of patterns()) {
    const found = text.includes(words) ? pattern.exec(text) : null
    if (found)
      return { code, args: found.slice(1).map((arg, at) => (inner.has(at) ? (readReason(arg) ?? arg) : arg)) }
  }
  return undefined
}

/** The gate says no more about a refusal, and a tool's name is short. */
const longest = 1000

interface ReasonPattern {
  readonly code: ReasonCode
  /** Its longest piece between arguments. Most texts do not contain it, and need no pattern. */
  readonly words: string
  readonly pattern: RegExp
  /** The numbers of the arguments that are reasons. */
  readonly inner: ReadonlySet<number>
}

let made: readonly ReasonPattern[] | undefined

/** Templates with more words of their own come first: `no rule allows Write on a.ts` also begins as a shorter one. */
function patterns(): readonly ReasonPattern[] {
  made ??= Object.entries(englishReasons)
    .sort(([, one], [, other]) => ownWords(other) - ownWords(one))
    .map(([code, template]) => ({
      code: code as ReasonCode,
      words: template.split(hole).reduce((one, other) => (other.length > one.length ? other : one)),
      pattern: new RegExp(`^${template.split(hole).map(escaped).join('(.*?)')}$`, 's'),
      inner: new Set([...template.matchAll(/\{(\d)!\}/g)].map(([, at]) => Number(at))),
    }))
  return made
}

const hole = /\{\d!?\}/

function ownWords(template: string): number {
  return template.split(hole).join('').length
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
