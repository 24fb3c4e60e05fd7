import type { AgentMessage, ResultRecord, SteerRecord, StepRecord } from '@mutsumi/schema'
import { withTextOf } from '../codec/placed-text.js'

/** The message of a record that a cell's interaction contains. */
export function messageOf(record: StepRecord | SteerRecord | ResultRecord): AgentMessage {
  switch (record.type) {
    case 'step':
      return stepMessage(record)
    case 'steer':
      return steerMessage(record)
    case 'result':
      return resultMessage(record)
    default:
      return record satisfies never
  }
}

/** A session has thousands of messages, and this is the fastest way to fields that may be absent. */
type MessageMetadata = Record<string, unknown>

function stepMessage({ step, at, content, calls, final, metadata }: StepRecord): AgentMessage {
  const about: MessageMetadata = { ...metadata, step, at }
  if (calls) about.calls = calls
  if (final) about.final = final
  return { role: 'assistant', content, metadata: about }
}

/** It belongs to its round and does not begin another one. */
function steerMessage({ step, at, content, metadata }: SteerRecord): AgentMessage {
  return { role: 'user', content, metadata: { ...metadata, step, at, steered: true } }
}

function resultMessage(record: ResultRecord): AgentMessage {
  const { step, at, tool, call, observation, metadata } = record
  const about: MessageMetadata = { ...metadata, step, at, tool_name: tool }
  if (call !== '') about.call_id = call
  if (observation !== undefined) about.observation = observation
  return withTextOf(record, { role: 'tool' as const }, { metadata: about })
}
