import type { JsonObject } from '@mutsumi/schema'

/** Whether the lines of a file that Read shows carry their numbers. */
export type LineNumbers = 'lines' | 'none'

/** What the first line says of a result, and what follows it. */
export interface TextParts {
  readonly header: JsonObject
  readonly body: Body
  /** The call got what it asked for, although there is more: `partial` would say nothing new. */
  readonly isAsked?: boolean
}

/** One text; or blocks, each on lines of its own, some of them written by us. */
export type Body = string | readonly BodyPart[]

export interface BodyPart {
  readonly text: string
  /** A line of ours between what a tool wrote, such as `[stderr]`. */
  readonly isOwn?: true
}

/** Makes the text of one tool's results. */
export type TextRule = (data: JsonObject, numbers: LineNumbers) => TextParts
