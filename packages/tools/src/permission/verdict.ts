import type { Reason } from '../reasons/reason.js'

/** The rules' verdict on a call or a part of one. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly rule: string }
  | {
      readonly kind: 'ask'
      readonly reason: Reason
      /** The rules that together would have allowed it; empty if none can. */
      readonly allowedBy: readonly string[]
      /** The rules as which a yes may be stored, from the narrowest to the widest; empty if only `once` is possible. */
      readonly lasting: readonly RuleTexts[]
      /** The commands of a parsed line. */
      readonly parts?: readonly JudgedPart[]
      /** Why the whole line asks, whatever its parts are. */
      readonly lineReason?: Reason
    }

/** Rules that together allow something. */
export type RuleTexts = readonly string[]

/** One command of a line; `reason` says why it asks, and is absent if it is allowed. */
export interface JudgedPart {
  readonly text: string
  readonly reason?: Reason
}

export const allowed: Verdict = { kind: 'allow' }

/** Asks, and no narrow rule would prevent the question next time. */
export function askAlways(reason: Reason, allowedBy: readonly string[] = []): Verdict {
  return { kind: 'ask', reason, allowedBy, lasting: [] }
}

/** Combines the verdicts on the parts: one denial denies the whole, one doubt asks. */
export function combine(verdicts: readonly Verdict[]): Verdict {
  const denial = verdicts.find((verdict) => verdict.kind === 'deny')
  if (denial) return denial
  const asking = verdicts.filter((verdict) => verdict.kind === 'ask')
  const [first] = asking
  if (first === undefined) return allowed
  const isHopeless = asking.some(({ allowedBy }) => allowedBy.length === 0)
  return {
    ...first,
    allowedBy: isHopeless ? [] : [...new Set(asking.flatMap(({ allowedBy }) => allowedBy))],
    lasting: combineLasting(asking.map(({ lasting }) => lasting)),
  }
}

/** First the narrowest rules of all parts, then wider ones for each part that has them. */
function combineLasting(offers: readonly (readonly RuleTexts[])[]): readonly RuleTexts[] {
  if (offers.some((offer) => offer.length === 0)) return []
  const levels = offers.reduce((most, { length }) => Math.max(most, length), 0)
  return Array.from({ length: levels }, (_, level) => [
    ...new Set(offers.flatMap((offer) => offer[Math.min(level, offer.length - 1)] ?? [])),
  ])
}
