import type { SessionRecord } from '@mutsumi/schema'
import { MemorySession } from '@mutsumi/session/node'
import { expect, test } from 'vitest'
import { RecordedTimes } from '../src/recorded-times.js'

/** A step that calls Read, and its result, which names the file's modification time. */
function readOf(step: number, path: string, time: number): readonly [SessionRecord, SessionRecord] {
  const at = '2026-01-01T00:00:00.000Z'
  const call = { id: `call-${step}`, name: 'Read', args: { path } }
  const content = JSON.stringify({ status: 'success', data: { path, file_mtime_ms: time, content: '' } })
  return [
    { type: 'step', id: `s${step}`, at, cell: 'c', step, content: '', calls: [call] },
    { type: 'result', id: `r${step}`, at, cell: 'c', step, call: call.id, tool: 'Read', content },
  ]
}

async function session(...records: readonly SessionRecord[]): Promise<MemorySession> {
  const file = new MemorySession()
  for (const record of records) await file.append(record)
  return file
}

test('F3 the newest recorded time of a file counts, also of one that was recorded after the first question', async () => {
  const file = await session(...readOf(1, 'a.ts', 100), ...readOf(2, 'b.ts', 200), ...readOf(3, 'a.ts', 300))
  const times = new RecordedTimes(file)
  expect([times.of('a.ts'), times.of('b.ts'), times.of('c.ts')]).toEqual([300, 200, undefined])
  for (const record of readOf(4, 'c.ts', 400)) await file.append(record)
  expect([times.of('a.ts'), times.of('c.ts')]).toEqual([300, 400])
})

test('F3 a result counts although its step was looked at while the call still ran', async () => {
  const [step, result] = readOf(2, 'a.ts', 200)
  const file = await session(...readOf(1, 'a.ts', 100), step)
  const times = new RecordedTimes(file)
  expect(times.of('a.ts')).toBe(100)
  await file.append(result)
  expect(times.of('a.ts')).toBe(200)
})

test('F3 a session without records is looked at again when it has some', async () => {
  const file = await session()
  const times = new RecordedTimes(file)
  expect(times.of('a.ts')).toBeUndefined()
  for (const record of readOf(1, 'a.ts', 100)) await file.append(record)
  expect(times.of('a.ts')).toBe(100)
})
