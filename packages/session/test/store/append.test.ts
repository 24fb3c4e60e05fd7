import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession, openSession, renameSession, SessionError, sha256 } from '../../src/node.js'
import { contentFolder } from '../../src/store/companion-paths.js'
import {
  addRound,
  cellsOf,
  created,
  FailingDisk,
  reopened,
  sessionWith,
  temporaryFolder,
} from '../support/store-world.js'

describe('append', () => {
  it('N1 a record is there when the session is opened again', async () => {
    const path = await sessionWith(3)
    expect(await cellsOf(path)).toEqual(['question 1', 'question 2', 'question 3'])
    const lines = readFileSync(path, 'utf8').split('\n')
    expect(lines).toHaveLength(1 + 6 + 1)
    expect(lines.slice(0, -1).every((line) => /,"sum":"[0-9a-f]{8}"\}$/.test(line))).toBe(true)
  })

  it('N1 a record is one write and one sync before it is acknowledged', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, disk)
    for (let number = 1; number <= 3; number++) {
      disk.calls.length = 0
      await file.add({ type: 'cell', role: 'user', content: `cell ${number}` })
      expect(disk.calls).toEqual(['write', 'datasync'])
    }
  })

  it('N1 records that are appended at the same time keep their order and share a sync', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, disk)
    const texts = Array.from({ length: 200 }, (_, number) =>
      number % 50 === 7 ? 'x'.repeat(70_000 + number) : `${number}`,
    )
    await Promise.all(texts.map((content) => file.add({ type: 'cell', role: 'user', content })))
    expect(disk.calls.filter((call) => call === 'datasync').length).toBeLessThan(10)
    expect(file.session.cells.map(({ content }) => content)).toEqual(texts)
    await file.close()
    expect(await cellsOf(path)).toEqual(texts)
  })

  it('N3 a record that is nested too deep to be read again is refused, and the session continues', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    const metadata = (depth: number) => file.add({ type: 'metadata', set: { nested: nested(depth) } })
    await expect(metadata(499)).rejects.toThrow(SessionError)
    await expect(metadata(200_000)).rejects.toThrow(/nested too deeply/)
    await metadata(498)
    await file.close()
    const again = await reopened(path)
    expect([again.notes, again.session.metadata.nested]).toEqual([[], nested(498)])
  })

  it('N1 a write that the system accepts in parts is finished before it is acknowledged', async () => {
    const disk = new FailingDisk()
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path, disk)
    disk.shortenNext(10).shortenNext(1)
    await file.add({ type: 'cell', role: 'user', content: 'in parts' })
    expect(disk.calls).toEqual(['write', 'write', 'write', 'datasync'])
    await file.close()
    expect(await cellsOf(path)).toEqual(['in parts'])
  })

  it('N1 a session of many megabytes is read back whole', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const texts = Array.from(
      { length: 400 },
      (_, number) => `${number} ${'—'.repeat((number * 7919) % 20_000)}`,
    )
    await Promise.all(texts.map((content) => file.add({ type: 'cell', role: 'user', content })))
    await file.close()
    expect(statSync(path).size).toBeGreaterThan(8_000_000)
    const again = await reopened(path)
    expect(again.notes).toEqual([])
    expect(again.session.cells.map(({ content }) => content)).toEqual(texts)
  })

  it('N1 nobody else may read a session or its contents', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    await file.add({ type: 'cell', role: 'user', content: 'y'.repeat(100_000) })
    const [content] = readdirSync(contentFolder(path))
    const modes = [path, `${path}.lock`, join(contentFolder(path), content ?? '')].map(
      (name) => statSync(name).mode & 0o777,
    )
    expect(modes).toEqual([0o600, 0o600, 0o600])
  })

  it('N1 creating a session does not replace another file', async () => {
    const path = await sessionWith(1)
    const before = readFileSync(path)
    expect(await createSession(path)).toMatchObject({ kind: 'fault', code: 'exists' })
    expect(readFileSync(path)).toEqual(before)
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('N1 a session that was opened read-only is not written', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path, { readOnly: true })
    const adding = file.add({ type: 'cell', role: 'user', content: 'no' })
    await expect(adding).rejects.toMatchObject({ name: 'SessionError', code: 'read-only' })
    await expect(adding).rejects.toBeInstanceOf(SessionError)
  })

  it('N1 lines of unknown types survive appends and renames', async () => {
    const path = await sessionWith(1)
    const line = '{"type":"mood","id":"m1","at":"2026-01-01T00:00:00Z","9":1,"colour":"blue"}'
    appendFileSync(path, `${line}\n`)
    const file = await reopened(path)
    await addRound(file, 'more')
    await file.close()
    const renamed = await renameSession(path, { title: 'Moods' })
    expect(renamed).toMatchObject({ kind: 'moved' })
    const lines = readFileSync(join(path, '..', 'Moods.mtm'), 'utf8').split('\n')
    expect(lines[3]).toBe(line)
  })
})

describe('tools', () => {
  const call = { id: 'c1', name: 'Bash', args: { command: 'make' } }

  it('N3 a call without a result shows as unanswered after a crash', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const { id: cell } = await file.add({ type: 'cell', role: 'user', content: 'go' })
    await file.add({ type: 'step', cell, step: 1, content: '', calls: [call, { ...call, id: 'c2' }] })
    await file.add({ type: 'intent', cell, step: 1, call })
    await file.add({ type: 'intent', cell, step: 1, call: { ...call, id: 'c2' } })
    await file.add({ type: 'result', cell, step: 1, call: call.id, tool: call.name, content: 'done' })
    // Read by another while this one still runs, as after a kill: nothing was closed or flushed.
    const reader = await reopened(path, { readOnly: true })
    expect(reader.facts.unanswered.map((record) => record.call.id)).toEqual(['c2'])
  })
})

describe('large contents', () => {
  it('N1 a text over 64 KiB is stored beside the file, under its hash, and read back', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const large = 'ö'.repeat(40_000)
    await file.add({ type: 'cell', role: 'user', content: large })
    const hash = await file.recordSnapshot(`${large}!`)
    await file.recordSnapshot(`${large}!`)
    await file.close()
    expect(readdirSync(contentFolder(path)).sort()).toEqual([sha256(large), hash].sort())
    expect(statSync(path).size).toBeLessThan(1500)
    const again = await reopened(path)
    expect(again.session.cells[0]?.content).toBe(large)
    expect(again.readSnapshot(hash)).toEqual({ kind: 'content', text: `${large}!` })
    expect(again.facts.snapshots.size).toBe(1)
  })

  it('N1 a large snapshot is not kept in memory after it was written, and is read on demand', async () => {
    const file = await created(join(temporaryFolder(), 'a.mtm'))
    const text = 's'.repeat(200_000)
    const hash = await file.recordSnapshot(text)
    const held = file.records.filter(({ type }) => type === 'snapshot')
    expect(held).toHaveLength(1)
    expect(JSON.stringify(held).length).toBeLessThan(1000)
    expect(file.readSnapshot(hash)).toEqual({ kind: 'content', text })
    await file.close()
  })

  it('N1 a missing or changed content is reported, and the rest opens', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    await file.add({ type: 'cell', role: 'user', content: 'z'.repeat(70_000) })
    await addRound(file, 'short')
    const hash = await file.recordSnapshot('s'.repeat(70_000))
    await file.close()
    writeFileSync(join(contentFolder(path), hash), 'changed')
    rmSync(join(contentFolder(path), sha256('z'.repeat(70_000))))
    const again = await reopened(path)
    expect(again.notes).toMatchObject([
      { code: 'missing-content', message: expect.stringContaining('missing') },
      { code: 'missing-content', message: expect.stringMatching(new RegExp(`${hash} is damaged`)) },
    ])
    expect(again.session.cells[1]?.content).toBe('short')
    expect(again.readSnapshot(hash)).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining('damaged'),
    })
    expect(again.readSnapshot('../a.mtm')).toMatchObject({
      message: expect.stringContaining('is not a valid hash'),
    })
    // Said again, it is put right.
    await again.append({
      type: 'snapshot',
      id: 'again',
      at: '',
      hash,
      size: 70_000,
      content: 's'.repeat(70_000),
    })
    expect(readFileSync(join(contentFolder(path), hash), 'utf8')).toBe('s'.repeat(70_000))
  })
})

describe('snapshots', () => {
  it('N1 a missing one is reported when the session opens, and a missing or changed one is repaired when it is written again', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const text = 's'.repeat(70_000)
    const hash = await file.recordSnapshot(text)
    const place = join(contentFolder(path), hash)
    writeFileSync(place, 'S'.repeat(70_000))
    await file.recordSnapshot(text)
    expect(readFileSync(place, 'utf8')).toBe(text)
    await file.close()
    rmSync(place)
    const again = await reopened(path)
    expect(again.notes).toMatchObject([{ code: 'missing-content', message: expect.stringContaining(hash) }])
    await again.recordSnapshot(text)
    const records = again.records.length
    await again.recordSnapshot(text)
    expect(again.records).toHaveLength(records)
    await again.close()
    const healed = await reopened(path)
    expect([healed.notes, healed.readSnapshot(hash)]).toEqual([[], { kind: 'content', text }])
  })

  it('N1 one that a person changed in its line is reported, and repaired when it is written again', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const hash = await file.recordSnapshot('as it was')
    await file.close()
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/as it was","sum":"[0-9a-f]{8}"/, 'changed"'))
    const again = await reopened(path)
    expect(again.notes).toMatchObject([{ code: 'foreign-line', line: 2 }])
    await again.recordSnapshot('as it was')
    expect(again.readSnapshot(hash)).toEqual({ kind: 'content', text: 'as it was' })
    await again.close()
    const last = await reopened(path)
    expect([last.notes.length, last.readSnapshot(hash).kind]).toEqual([1, 'content'])
  })
})

describe('names', () => {
  const names = {
    'a line end': 'line\nend.mtm',
    'an emoji': '👩‍💻.mtm',
    'a leading dash': '-rf.mtm',
    'nothing but dots': '...mtm',
    'bytes up to the limit': `${'é'.repeat(125)}x.mtm`,
    'no ending': 'plain name',
  }
  for (const [what, name] of Object.entries(names))
    it(`N1 a file name with ${what} is used as it is given`, async () => {
      const path = join(temporaryFolder(), name)
      const file = await created(path)
      await file.add({ type: 'cell', role: 'user', content: 'q'.repeat(70_000) })
      expect(await openSession(path)).toMatchObject({ kind: 'locked' })
      await file.close()
      expect(await cellsOf(path)).toEqual(['q'.repeat(70_000)])
    })
})
