import { englishReasons, type Reason, type ReasonTemplates, reasonText } from '../reasons/reason.js'

/** One command of a line; `reason` says why it asks, and is absent if it is allowed. */
export interface CommandPart {
  readonly text: string
  readonly reason?: string
}

/** The reasons of a question as data. */
export interface QuestionReasons {
  readonly whole: Reason
  readonly line?: Reason
  /** One per part. Undefined if the part is allowed. */
  readonly parts?: readonly (Reason | undefined)[]
}

export interface QuestionWords {
  readonly reason: string
  /** The commands of a parsed line, in order. */
  readonly parts?: readonly CommandPart[]
  /** Why such a line asks as a whole; absent if only parts of it ask. */
  readonly lineReason?: string
}

/** The reasons of a question in words. */
export function questionWords(
  { whole, line, parts: reasons = [] }: QuestionReasons,
  parts: readonly { readonly text: string }[] | undefined,
  templates: ReasonTemplates = englishReasons,
): QuestionWords {
  return {
    reason: reasonText(whole, templates),
    ...(line && { lineReason: reasonText(line, templates) }),
    ...(parts && {
      parts: parts.map(({ text }, at) => {
        const reason = reasons[at]
        return reason ? { text, reason: reasonText(reason, templates) } : { text }
      }),
    }),
  }
}
