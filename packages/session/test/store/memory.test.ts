import { MemorySession } from '@mutsumi/session/node'
import { expect, test } from 'vitest'

test('N a session in memory returns its records, stores texts by their hash, and ends when it is closed', async () => {
  const file = new MemorySession({ metadata: { parent_agent_id: 'p' } })
  expect([file.isInMemory, file.readOnly, file.session.metadata]).toEqual([
    true,
    false,
    { parent_agent_id: 'p' },
  ])
  const { id } = await file.add({ type: 'cell', role: 'user', content: 'Hi' })
  await file.add({ type: 'step', cell: id, step: 1, content: 'Hello', final: true })
  expect(file.session.cells.map(({ content }) => content)).toEqual(['Hi'])
  const long = 'long '.repeat(200_000)
  const hash = await file.recordSnapshot(long)
  expect(await file.recordSnapshot(long)).toBe(hash)
  expect(file.snapshotText(hash)).toBe(long)
  expect(file.readSnapshot('0'.repeat(64))).toMatchObject({ kind: 'fault', code: 'missing' })
  expect(file.records.filter(({ type }) => type === 'snapshot')).toHaveLength(1)
  expect(await file.refresh()).toBe('unchanged')
  await file.close()
  await expect(file.add({ type: 'cell', role: 'user', content: 'late' })).rejects.toThrow('closed')
})
