import { ToolResultCompressor } from '@mutsumi/context'
import { renderResult } from '@mutsumi/context/parts'
import { parseReply } from '@mutsumi/react-text'
import type { AgentMessage, ModelEvent, ToolCall } from '@mutsumi/schema'
import { builtInTools, createToolRunner, Workspace } from '@mutsumi/tools'
import { createOfflineModel } from '../../src/offline/offline-model.js'

export interface Asked {
  readonly answer: string
  /** `Grep {"pattern":…}`, one a step. */
  readonly calls: readonly string[]
  /** Of the last reply. */
  readonly events: readonly ModelEvent[]
}

/** Answers a call with what the model sees of its result. */
export type Answerer = (call: ToolCall) => string | Promise<string>

/** Asks the offline model in a loop as small as can be; more than 12 steps are a failure. */
export async function runOffline(
  before: readonly AgentMessage[],
  answer: Answerer,
  toMessage: (content: string) => AgentMessage = (content) => ({ role: 'tool', content }),
): Promise<Asked> {
  const messages = [...before]
  const calls: string[] = []
  for (;;) {
    const events: ModelEvent[] = []
    for await (const event of createOfflineModel().stream({ messages })) events.push(event)
    const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
    const reply = parseReply(text)
    if (reply.kind === 'finish') return { answer: reply.answer, calls, events }
    if (reply.kind !== 'action') throw new Error(`${reply.kind}: ${text}`)
    calls.push(`${reply.call.name} ${JSON.stringify(reply.call.args)}`)
    if (calls.length > 12) throw new Error(`it does not end: ${calls.join('\n')}`)
    messages.push({ role: 'assistant', content: text }, toMessage(await answer(reply.call)))
  }
}

/** The real tools on a folder, answering as the loop does. */
export function toolsOf(root: string): Answerer {
  const runner = createToolRunner({ workspace: new Workspace({ root }), tools: builtInTools() })
  const compressor = new ToolResultCompressor()
  return async (call) =>
    renderResult('text', {
      tool: call.name,
      content: compressor.observe(call.name, await runner.run(call, { allowed: [root] })),
    }) ?? ''
}

export function askOffline(root: string, question: string): Promise<Asked> {
  return runOffline([{ role: 'user', content: question }], toolsOf(root))
}
