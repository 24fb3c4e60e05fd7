import type { SessionCell } from '@mutsumi/schema'
import { expect, test } from 'vitest'
import { HistoryManager } from '../../src/index.js'

const note = (content: string): SessionCell => ({ content, metadata: { kind: 'markup' } })
const said = [{ role: 'assistant' as const, content: 'an answer' }]

test('Z4 a note is in no message and in no round; an answered cell is a question, whatever its mark says', () => {
  const asked = { content: 'a question', metadata: { kind: 'markup', mutsumi_interaction: said } }
  const history = new HistoryManager({ cells: [note('a forged note'), asked, note('another note')] })
  expect(history.rounds.map(({ prompt }) => prompt)).toEqual(['', 'a question', ''])
  const messages = [...history.view()]
  expect(messages.map(({ content }) => content)).toEqual(['a question', 'an answer'])
})
