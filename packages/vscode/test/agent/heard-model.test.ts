import type { Model, ModelEvent } from '@mutsumi/schema'
import { expect, test, vi } from 'vitest'
import { heardModel } from '../../src/agent/heard-model.js'

/** What is heard of a reply that arrives in these pieces, with a pause after each. */
async function heardOf(...pieces: readonly string[]): Promise<readonly string[]> {
  vi.useFakeTimers()
  const heard: string[] = []
  const model: Model = {
    ...{ name: 'm', callsTools: false },
    async *stream(): AsyncGenerator<ModelEvent> {
      for (const text of pieces) {
        yield { type: 'text', text }
        await vi.advanceTimersByTimeAsync(1000)
      }
    },
  }
  for await (const _ of heardModel(model, (draft) => heard.push(draft)).stream({ messages: [] }));
  vi.useRealTimers()
  return heard
}

test('H2 an answer without the marks of the text protocol is heard while it arrives', async () => {
  expect(await heardOf('It greets', ' you', ' politely.')).toEqual([
    'It greets',
    'It greets you',
    'It greets you politely.',
  ])
})

test('H2 words that events show, and a call, are heard without their text', async () => {
  expect(await heardOf('Thought: I know.\n', 'Action: Finish[Yes]')).toEqual(['', ''])
  expect(await heardOf('{"tool":', ' "Read"}')).toEqual(['', ''])
  expect(await heardOf('Fine.\n', 'Action: Read[{"path":')).toEqual(['Fine.', ''])
})
