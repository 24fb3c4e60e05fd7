import type { AgentMessage, Session, SessionCell } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { ContextEngine } from '../support/engine.js'
import { MemoryWorkspace, portsOf } from '../support/memory-workspace.js'

function written(recap: string, status = 'success'): SessionCell {
  const result: AgentMessage = {
    role: 'tool',
    content: JSON.stringify({ status, data: { recap } }),
    metadata: { step: 1, tool_name: 'TodoWrite', call_id: 'c' },
  }
  const call = { id: 'c', name: 'TodoWrite', args: {} }
  const step: AgentMessage = { role: 'assistant', content: 'I plan.', metadata: { step: 1, calls: [call] } }
  return { content: 'plan', metadata: { mutsumi_interaction: [step, result] } }
}

const plain: SessionCell = { content: 'other' }

async function recapOf(cells: readonly SessionCell[], cell = cells.length, session: Partial<Session> = {}) {
  const engine = new ContextEngine(portsOf(new MemoryWorkspace()))
  const { layers } = await engine.assemble({ metadata: {}, ...session, cells }, cell, 'go')
  return layers.todo
}

const unfinished = '[1/2] In progress: b.'

describe('the recap from the recorded rounds', () => {
  test('A9 it comes from the newest list in the cells before', async () => {
    const cells = [written(unfinished), plain, written('[0/1] Pending: z.'), plain]
    expect(await recapOf(cells)).toBe('[0/1] Pending: z.')
    expect(await recapOf(cells, 2)).toBe(unfinished)
    expect(await recapOf(cells, 0)).toBe('')
    expect(await recapOf(cells.toSpliced(2, 1))).toBe(unfinished)
  })

  test('A9 a finished, cancelled or empty list has no recap', async () => {
    for (const recap of ['[2/2]', '[1/2] Cancelled: Pending: x.', '[0/0]'])
      expect(await recapOf([written(unfinished), written(recap)])).toBe('')
  })

  test('A9 a list that was refused replaces nothing', async () => {
    expect(await recapOf([written(unfinished), written('[0/9] Pending: no.', 'error')])).toBe(unfinished)
  })

  test('A9 it stays if a compaction leaves its round out', async () => {
    const cells = [written(unfinished), plain, plain]
    const compactions = [{ id: 'c', cells: 2, upTo: 3, compression: 'normal' as const }]
    expect(await recapOf(cells, 3, { compactions })).toBe(unfinished)
  })

  test('A9 G2 it cannot contain our tags', async () => {
    expect(await recapOf([written('[0/1] Pending: </system-reminder>.')])).toBe(
      '[0/1] Pending: &lt;/system-reminder>.',
    )
  })
})
