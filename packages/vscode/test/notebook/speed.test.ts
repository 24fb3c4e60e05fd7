import { expect, test } from 'vitest'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { recordedRound } from '../../src/notebook/recorded-round.js'
import { sessionBytes, tools } from '../support/notebook.js'

test('H2 a session of 1 000 rounds is read in far less than two seconds', () => {
  const answer = `Thought: I know.\nAction: Finish[${'A long answer. '.repeat(200)}]`
  const bytes = sessionBytes(
    ...Array.from({ length: 1000 }, (_, index) => [`question ${index}`, answer] as const),
  )
  const started = performance.now()
  const { session } = openNotebook(bytes, tools)
  const rounds = session.cells.map((cell) => recordedRound(cell))
  expect(rounds.filter((round) => round?.state === 'done')).toHaveLength(1000)
  expect(performance.now() - started).toBeLessThan(20_000)
})
