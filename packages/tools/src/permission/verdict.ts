/** What rules make of a call, or of a part of one. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly rule: string }
  | {
      readonly kind: 'ask'
      readonly reason: string
      /** The rules that together would have allowed it; empty where none can. */
      readonly allowedBy: readonly string[]
      /** Whether a yes may be remembered as those rules. */
      readonly isLasting: boolean
    }

export const allowed: Verdict = { kind: 'allow' }

/** Asks, and no narrow rule would spare the question next time. */
export function askAlways(reason: string, allowedBy: readonly string[] = []): Verdict {
  return { kind: 'ask', reason, allowedBy, isLasting: false }
}

/** The verdict on a whole, from those on its parts: one denial denies it, one doubt asks. */
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
    isLasting: asking.every(({ isLasting }) => isLasting),
  }
}
