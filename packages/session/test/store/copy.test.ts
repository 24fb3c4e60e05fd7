import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { copySession, type MemorySession } from '../../src/node.js'
import { anySession } from '../support/any-session.js'
import { fileOf } from '../support/records.js'
import { created, reopened, temporaryFolder } from '../support/store-world.js'

async function copied(path: string): Promise<MemorySession> {
  const copying = await copySession(path)
  if (copying.kind !== 'copied') throw new Error(copying.message)
  return copying.copy
}

describe('a copy of a session in memory', () => {
  it('N1 W4 it has the same content as the file, whatever the file contains', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    await fc.assert(
      fc.asyncProperty(anySession, async (records) => {
        writeFileSync(path, fileOf(records))
        const copy = await copied(path)
        const file = await reopened(path, { readOnly: true })
        expect(copy.header).toEqual(file.header)
        expect(copy.session).toEqual(file.session)
        expect(copy.records).toEqual(file.records)
        expect(copy.facts).toEqual(file.facts)
        expect(copy.notes).toEqual(file.notes)
        await file.close()
      }),
      { numRuns: runs(30) },
    )
  })

  it('N3 W4 a file that another process is writing can be copied, and additions to the copy reach no file', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const { id } = await file.add({ type: 'cell', role: 'user', content: 'Hi' })
    const hash = await file.recordSnapshot('long '.repeat(40_000))
    const before = readFileSync(path, 'utf8')
    const copy = await copied(path)
    await copy.add({ type: 'step', cell: id, step: 1, content: 'Hello', final: true })
    await copy.add({ type: 'cell', role: 'user', content: 'More' })
    expect(copy.session.cells.map(({ content }) => content)).toEqual(['Hi', 'More'])
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(copy.snapshotText(hash)).toBe('long '.repeat(40_000))
    await file.add({ type: 'cell', role: 'user', content: 'Elsewhere' })
    expect(copy.session.cells).toHaveLength(2)
    await file.close()
  })

  it('N3 W4 damage is reported and left alone, and a text that does not match its hash is refused', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const hash = await file.recordSnapshot('kept')
    await file.close()
    writeFileSync(path, readFileSync(path, 'utf8').replace('"content":"kept"', '"content":"keep"'))
    appendFileSync(path, '{"type":"cell"')
    const before = readFileSync(path, 'utf8')
    const copy = await copied(path)
    expect(copy.notes.length).toBeGreaterThan(0)
    expect(copy.snapshotText(hash)).toBeUndefined()
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(await copySession(join(path, '..', 'none.mtm'))).toMatchObject({ kind: 'fault', code: 'missing' })
  })
})
