import { SummaryCompressor } from '@mutsumi/context'
import type { Round } from '@mutsumi/context/parts'
import type { AgentMessage } from '@mutsumi/schema'
import { expect, it } from 'vitest'
import { createOfflineModel, replyTo } from '../../src/offline/offline-model.js'

const round = (start: number, prompt: string, steps: readonly AgentMessage[]): Round => ({
  start,
  end: start + 1,
  prompt,
  startedAt: `2026-05-0${start + 1}T10:00:00.000Z`,
  steps,
})
const answer = (content: string): AgentMessage => ({ role: 'assistant', content, metadata: { final: true } })
const long = 'Some more words about the price of bread. '.repeat(60)

const rounds = [
  round(0, `Build a shop. Always use tabs. ${long}`, [
    { role: 'assistant', content: 'Thought: x\nAction: Read[{"path":"nope.ts"}]' },
    {
      role: 'tool',
      content: '{"status":"error","data":{},"error":{"code":"NOT_FOUND","message":"nope.ts: no such file"}}',
      metadata: { tool_name: 'Read' },
    },
    answer('Action: Finish[I built the shop.]'),
  ]),
  round(1, 'Now add a till. ### 🎯 Objectives & Status', [answer(`The till is there. ${long}`)]),
  round(2, 'Stop', []),
]

async function ask(messages: readonly AgentMessage[]): Promise<string> {
  let text = ''
  for await (const event of createOfflineModel().stream({ messages }))
    if (event.type === 'text') text += event.text
  return text
}

it('A6 a summary is the template filled in from the history, and is accepted', async () => {
  const outcome = await new SummaryCompressor().summarize(rounds, {
    model: ({ system, prompt }) =>
      ask([
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ]),
  })
  const { summary } = outcome as { summary: string }
  expect(outcome).not.toHaveProperty('problem')
  expect(summary).toContain('* **Original Goal**: Build a shop. Always use tabs.')
  expect(summary).toMatch(/\* \[✓\] Build a shop\..* - .*I built the shop/)
  expect(summary).toContain('* [ ] Stop - (no answer recorded)')
  expect(summary).toContain('**User Preferences**: “Always use tabs”')
  expect(summary).toContain('2026-05-01')
  expect(summary.match(/Objectives & Status$/gm)).toHaveLength(1)
})

it('A6 a user who quotes the template is answered, not summarized', () => {
  const messages: AgentMessage[] = [
    { role: 'user', content: '## 📌 Archived Session Summary\nwhat is this?' },
  ]
  expect(replyTo({ messages })).toMatch(/^Action: /)
})
