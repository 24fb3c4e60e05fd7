import { expect, test, vi } from 'vitest'
import type { NotebookCellExecution } from 'vscode'
import { Painter } from '../../src/editor/painter.js'
import { newRound } from '../../src/notebook/round-output.js'

/** The few parts of the editor that a shown round uses. */
vi.mock('vscode', () => ({
  NotebookCellOutput: class {},
  NotebookCellOutputItem: { json: (value: unknown) => value, text: (value: unknown) => value },
  env: { language: 'en' },
}))

test('a round ends in a cell that can no longer be shown', async () => {
  const calls: string[] = []
  const execution = {
    replaceOutput: async () => undefined,
    // The editor throws at once if an execution is over, and later if its notebook is closed.
    replaceOutputItems: () => {
      calls.push('items')
      if (calls.length === 1) throw new Error('Cannot modify cell output after calling resolve')
      return Promise.reject(new Error('closed'))
    },
  } as unknown as NotebookCellExecution
  const painter = new Painter(execution, newRound('c1'))
  for (const endedAt of ['1', '2']) {
    painter.show({ ...painter.round, endedAt })
    await painter.finish()
  }
  expect(calls).toEqual(['items', 'items'])
})
