import type { JsonObject } from '@mutsumi/schema'

/** Whether Read shows line numbers. */
export type LineNumbers = 'lines' | 'none'

/** The header of a result, and its body. */
export interface TextParts {
  readonly header: JsonObject
  readonly body: Body
  /** The call got everything it asked for, although there is more, so `partial` would add nothing. */
  readonly isAsked?: boolean
}

/** One text, or blocks that each begin on a new line. We wrote some of the blocks. */
export type Body = string | readonly BodyPart[]

export interface BodyPart {
  readonly text: string
  /** A line of ours inside a tool's output, such as `[stderr]`. */
  readonly isOwn?: true
}

/** Writes the text of one tool's results. */
export type TextRule = (data: JsonObject, numbers: LineNumbers) => TextParts
