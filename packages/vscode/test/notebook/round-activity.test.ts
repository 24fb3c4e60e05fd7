import type { AgentEvent } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { localRound } from '../../src/notebook/local-round.js'
import { withActivity, withDraft } from '../../src/notebook/round-activity.js'
import { hear, newRound, type RoundOutput } from '../../src/notebook/round-output.js'

const asked = { type: 'request-start', step: 1 } as AgentEvent
const after = (...events: readonly AgentEvent[]) =>
  events.reduce((round, event, at) => withActivity(hear(round, event), event, `t${at}`), newRound('c1'))
const fault = { kind: 'overloaded', message: 'The server answered 500.' } as const
const retry = { type: 'retry', attempt: 1, waitMs: 4000, fault } as const

test('P7 words that may be the answer are shown until the answer is there', () => {
  const draft = withDraft(after(asked), 'It greets', 't1')
  expect(draft.activity).toEqual({ kind: 'writing', since: 't1', draft: 'It greets' })
  expect(withDraft(draft, 'It greets you', 't2').activity).toMatchObject({ draft: 'It greets you' })
  const said = (event: AgentEvent) => withActivity(hear(draft, event), event, 't3').activity
  expect(said({ type: 'answer', text: 'It greets you' })).not.toHaveProperty('draft')
  expect(said({ type: 'round-end', status: 'done', answer: 'x' })).toBeUndefined()
  expect(said({ ...asked })).toEqual({ kind: 'waiting', since: 't3' })
  // In the protocol of the provider, events show the same words.
  const shown = after(asked, { type: 'answer', text: 'It' })
  expect(withDraft(shown, 'It greets', 't4').activity).toMatchObject({ kind: 'writing', since: 't4' })
  expect(withDraft(shown, 'It greets', 't4').activity).not.toHaveProperty('draft')
})

test('P7 while tools run, the words of sub-agents are not those of the round', () => {
  const call = { id: 't1', name: 'Task', args: {} }
  const working = after(asked, { type: 'tool-start', step: 1, call })
  expect(withDraft(working, 'A sub-agent says', 't2')).toBe(working)
})

test('P7 a fault is said once while the request is sent again, and once at the end', () => {
  const waiting = after(asked, retry, { ...retry, attempt: 2, waitMs: 8000 })
  expect(waiting.parts).toEqual([])
  expect(waiting.activity).toMatchObject({ kind: 'retry', attempt: 2, waitMs: 8000, text: fault.message })
  const ended = hear(waiting, { type: 'round-end', status: 'failed', message: fault.message, fault })
  const { activity, parts, message }: RoundOutput = localRound(ended, 'en')
  expect([activity, parts, message]).toEqual([undefined, [], fault.message])
})
