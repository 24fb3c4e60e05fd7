import type { AgentEvent, ModelFault } from '@mutsumi/schema'
import type { RoundOutput } from './round-output.js'

/** The model's part in a running round. */
export type RoundActivity =
  /** `since` is the time of its request, or of its newest text, in ISO 8601. */
  | {
      readonly kind: 'waiting' | 'writing'
      readonly since: string
      /** Its words so far, while it is not clear yet whether they are the answer. */
      readonly draft?: string
      /** Its answer is shown as it arrives. */
      readonly isShown?: true
    }
  /** The request failed, and is sent again after a while. */
  | {
      readonly kind: 'retry'
      readonly since: string
      readonly waitMs: number
      readonly attempt: number
      readonly text: string
      /** The same as data, until a person reads it. */
      readonly fault?: ModelFault
    }

/** Sets what the model does after an event. Without an activity, tools run, or the history is compacted. */
export function withActivity(round: RoundOutput, event: AgentEvent, at: string): RoundOutput {
  const { activity } = round
  switch (event.type) {
    case 'request-start':
      return { ...round, activity: { kind: 'waiting', since: at } }
    case 'retry': {
      const { waitMs, attempt, fault } = event
      return { ...round, activity: { kind: 'retry', since: at, waitMs, attempt, text: fault.message, fault } }
    }
    case 'thought':
      return { ...round, activity: { ...writing(activity), since: at } }
    case 'answer':
      return { ...round, activity: { kind: 'writing', since: at, isShown: true } }
    case 'tool-start':
    case 'compaction-start':
      return withoutActivity(round)
    default:
      return round
  }
}

/** The model has written something. `draft`: its words, if no event shows them yet. */
export function withDraft(round: RoundOutput, draft: string, at: string): RoundOutput {
  const { activity, state } = round
  if (!activity || state !== 'running') return round
  const { isShown } = writing(activity)
  const isNew = draft !== '' && isShown === undefined
  return {
    ...round,
    activity: { kind: 'writing', since: at, ...(isShown && { isShown }), ...(isNew && { draft }) },
  }
}

function writing(activity: RoundActivity | undefined): Exclude<RoundActivity, { kind: 'retry' }> {
  if (!activity || activity.kind === 'retry') return { kind: 'writing', since: '' }
  return { ...activity, kind: 'writing' }
}

function withoutActivity({ activity: _, ...round }: RoundOutput): RoundOutput {
  return round
}
