import type { JsonObject } from '@mutsumi/schema'
import { malformedText } from './malformed-text.js'
import type { ReadAction } from './read-action.js'
import type { Said } from './said.js'

/** The meaning of a reply in ReAct text. */
export type ParsedReply =
  | ({
      readonly kind: 'action'
      readonly thought: string
      readonly call: { readonly name: string; readonly args: JsonObject }
    } & Step)
  | ({ readonly kind: 'finish'; readonly thought: string; readonly answer: string } & Step)
  | { readonly kind: 'answer'; readonly text: string }
  /** `problem` is the observation that tells the model what was wrong. */
  | { readonly kind: 'malformed'; readonly problem: string; readonly thought: string }

interface Step {
  /** The reply up to its action, without made-up results. */
  readonly step: string
  /** Offset after the action. The text after it is not part of the step. */
  readonly end: number
}

/** A reply that calls a tool or ends the round. */
export type StepReply = Extract<ParsedReply, Step>

/** The reply for an action that begins at `start`. `said` is the text between `head` and the action. */
export function toReply(
  text: string,
  action: Exclude<ReadAction, { readonly kind: 'none' }>,
  { head, start, said }: { readonly head: number; readonly start: number; readonly said: Said },
): ParsedReply {
  const { thought } = said
  if (action.kind === 'bad') return malformed(action.why, thought, action.name)
  const { end } = action
  const step = text.slice(0, head) + said.text + text.slice(start, end)
  switch (action.kind) {
    case 'finish':
      // Some models write the answer first and then an empty `Finish[]`.
      return action.answer === ''
        ? { kind: 'finish', thought: '', answer: thought, step, end }
        : { kind: 'finish', thought, answer: action.answer, step, end }
    case 'call':
      return { kind: 'action', thought, call: { name: action.name, args: action.args }, step, end }
    default:
      return action satisfies never
  }
}

export function malformed(why: string, thought: string, name?: string): ParsedReply {
  return { kind: 'malformed', problem: malformedText(why, name), thought }
}
