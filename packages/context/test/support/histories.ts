import type { AgentMessage, JsonObject, RecordedCall, SessionCell } from '@mutsumi/schema'
import fc from 'fast-check'

/** A step of an assistant that calls tools. */
export function step(content: string, ...calls: readonly RecordedCall[]): AgentMessage {
  return { role: 'assistant', content, metadata: { calls } }
}

export function call(id: string, name = 'Read', args: JsonObject = { path: 'a.ts' }): RecordedCall {
  return { id, name, args }
}

/** A result as history keeps it. */
export function result(callId: string, data: JsonObject = {}, tool_name = 'Read'): AgentMessage {
  return {
    role: 'tool',
    content: JSON.stringify({ status: 'success', data }),
    metadata: { call_id: callId, tool_name, observation: `o-${callId}` },
  }
}

export function answer(content: string): AgentMessage {
  return { role: 'assistant', content, metadata: { final: true } }
}

export function round(prompt: string, ...steps: readonly AgentMessage[]): SessionCell {
  return { content: prompt, metadata: { mutsumi_interaction: steps } }
}

/** A read of a whole file, as one step and its result. */
export function readStep(id: string, path: string, content = `1: text of ${path}`): readonly AgentMessage[] {
  return [step(`Thought: read ${path}`, call(id, 'Read', { path })), result(id, { path, content })]
}

const ids = fc.constantFrom('a', 'b', 'c', 'call_0')
const paths = fc.constantFrom('a.ts', 'b.ts', 'dir/c.md')
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', '漢字🙂', 'x'.repeat(4000), 'read it again'),
)
const calls = fc.record({
  id: ids,
  name: fc.constantFrom('Read', 'Edit', 'Bash', 'Grep', 'mcp__x__y'),
  args: paths.map((path) => ({ path, command: `cat ${path}` })),
})

const assistantSteps: fc.Arbitrary<AgentMessage> = fc.record({
  role: fc.constant('assistant' as const),
  content: words,
  metadata: fc.record({ calls: fc.array(calls, { maxLength: 3 }) }),
})

const toolSteps: fc.Arbitrary<AgentMessage> = fc.record({
  role: fc.constant('tool' as const),
  content: fc.oneof(
    words,
    fc.record({ path: paths, content: words }).map((data) => JSON.stringify({ status: 'success', data })),
  ),
  metadata: fc.record(
    {
      call_id: ids,
      tool_name: fc.constantFrom('Read', 'Edit', 'Bash', 'Write'),
      observation: fc.constantFrom('o1', 'o2'),
    },
    { requiredKeys: [] },
  ),
})

/** Rounds as logs really look: parallel calls, missing and doubled results, equal ids, empty messages. */
export const rounds: fc.Arbitrary<SessionCell> = fc.record({
  content: fc.oneof({ weight: 5, arbitrary: words }, { weight: 1, arbitrary: fc.constant(' ') }),
  metadata: fc.record(
    {
      role: fc.constantFrom('user', 'user', 'user', 'user', 'assistant', 'summary'),
      mutsumi_interaction: fc.array(fc.oneof(assistantSteps, toolSteps), { maxLength: 8 }),
    },
    { requiredKeys: ['mutsumi_interaction'] },
  ),
})
