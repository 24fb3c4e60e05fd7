import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { callsOf, digestOf, type SessionRecord, toolNameOf } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { encodeRecord } from '../../src/codec/encode.js'
import { storedHashes } from '../../src/codec/large-content.js'
import { indexPath } from '../../src/store/companion-paths.js'
import { type LoadedSession, type LoadOptions, loadSession } from '../../src/store/load-session.js'
import { renewIndex } from '../../src/store/renew-index.js'
import { anyRecords } from '../support/any-record.js'
import { anySession } from '../support/any-session.js'
import { call, cell, edit, fileOf, result, snapshot, step } from '../support/records.js'
import { addRound, created, reopened, temporaryFolder } from '../support/store-world.js'

/** Everything that a caller can see of an open session. */
function seen({ header, records, fold, notes, unknown, isTorn, isOlder }: LoadedSession) {
  const { snapshots, usage, ends, lastSent, summaryRequests, ...rest } = fold.facts
  const facts = { ...rest, maps: [snapshots, usage, ends, lastSent, summaryRequests].map((map) => [...map]) }
  return {
    header,
    session: fold.session,
    facts,
    all: records.all,
    lines: records.lines,
    notes,
    unknown,
    isTorn,
    isOlder,
  }
}

function expectSame(one: LoadedSession, other: LoadedSession): void {
  expect(seen(one)).toEqual(seen(other))
  // Also the order of fields: it decides how a request is written.
  expect(JSON.stringify(seen(one))).toBe(JSON.stringify(seen(other)))
}

/** The facts about cells before they are read equal the facts after reading them. */
function expectDigests({ fold }: LoadedSession): void {
  for (const each of fold.session.cells) {
    const digest = digestOf(each)
    const { content, metadata } = each
    const said = metadata?.mutsumi_interaction ?? []
    const tools = said.flatMap((message) => (message.role === 'tool' ? [toolNameOf(message)] : []))
    const calls = said.flatMap((message) => callsOf(message).map(({ id }) => id))
    const isPlain = !content.includes('#') && !content.includes('@')
    if (digest) expect(digest).toEqual({ role: metadata?.role, isPlain, calls, tools: [...new Set(tools)] })
  }
}

async function loaded(path: string, options: Partial<LoadOptions> = {}): Promise<LoadedSession> {
  const session = await loadSession(path, { readOnly: true, ...options })
  await session.log.file.close()
  session.texts?.closed()
  return session
}

async function index(path: string): Promise<void> {
  const { indexed } = await loaded(path)
  await renewIndex(path, { size: statSync(path).size, indexed }, 0)
}

/** Opens it with its index, then without. */
async function both(path: string): Promise<readonly [LoadedSession, LoadedSession]> {
  const withIndex = await loaded(path)
  const kept = existsSync(indexPath(path)) ? readFileSync(indexPath(path)) : undefined
  rmSync(indexPath(path), { force: true })
  const without = await loaded(path)
  expect(without.indexed).toBe(0)
  if (kept) writeFileSync(indexPath(path), kept)
  return [withIndex, without]
}

interface Forged {
  readonly fold: { readonly cells?: object }
}

const cells = fc.constantFrom('c0', 'c1', 'c2', 'c3', 'c4')

/** The records that a round's requests leave in a file, beside its messages. */
const aroundRequests: fc.Arbitrary<readonly SessionRecord[]> = fc.array(
  fc
    .record(
      {
        cell: cells,
        shortened: fc.nat(3),
        given: fc.constant({ pieces: ['a'], has: { 'file:a': 'h' } }),
        purpose: fc.constant('summary' as const),
        model: fc.constantFrom('m', 'n'),
      },
      { requiredKeys: ['cell'], noNullPrototype: true },
    )
    .map((fields) => ({ type: 'request', number: 1, keep: 0, add: [], fingerprint: 'f', ...fields })),
  { maxLength: 4 },
) as never

/** A text that stays in the file. */
const long = 'a "quoted" \\ word\n漢字","content":"'.repeat(200)

const said: fc.Arbitrary<readonly SessionRecord[]> = fc.array(
  fc.oneof(
    fc
      .tuple(cells, fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }))
      .map(([cell, ids]) =>
        step('', cell, 'does', { calls: ids.map((id) => call(id)), metadata: { protocol: 'native' } }),
      ),
    fc
      .tuple(cells, fc.constantFrom('a', 'b'), fc.constantFrom('Read', 'TodoWrite'))
      .map(([cell, id, tool]) => result('', cell, id, { tool })),
    fc
      .tuple(cells, fc.constantFrom('user', 'system', 'summary' as const))
      .map(([cell, role]) =>
        edit('', cell, { role: role as 'user', metadata: { mentioned: { paths: ['a'] } } }),
      ),
    fc.constantFrom('one', 'two', long).map((text) => snapshot('', text)),
    fc
      .tuple(cells, fc.constantFrom(long, `${long}\ud800`, JSON.stringify(long)))
      .map(([cell, content]) => result('', cell, 'a', { content, observation: 'f'.repeat(64) })),
    fc.constant({ type: 'usage', request: 'q', input: 1, output: 2 } as SessionRecord),
  ),
  { maxLength: 6 },
)

/** Any records, mostly with all the texts that they name. */
const others = fc
  .tuple(anyRecords, fc.nat(3))
  .map(([records, some]) => (some === 0 ? records : records.filter((record) => !storedHashes(record)[0])))

function named(records: readonly SessionRecord[], letter: string): readonly SessionRecord[] {
  return records.map((record, at) => ({
    ...record,
    id: `${letter}-${at}`,
    at: record.at ?? `2026-01-0${at % 9}`,
  }))
}

const beginning = fc
  .tuple(anySession, others, said, aroundRequests)
  .map(([session, records, more, requests]) => [
    ...session,
    ...named([...records, ...more, ...requests], 'r'),
  ])
  .filter((records) => records.length > 0)

/** Records that follow: most of them have an id that was not there before. */
const following = fc
  .tuple(anySession, others, said, aroundRequests, fc.constantFrom('t', 't', 't', 'r'))
  .map(([session, records, more, requests, letter]) =>
    named([...session, ...records, ...more, ...requests], letter),
  )

/** Something that a person, a disk or another program does to a file. */
const anyChange: fc.Arbitrary<(text: string) => string> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((text: string) => text) },
  fc.nat().map((at) => (text: string) => text.slice(0, text.length - 1 - (at % 30))),
  fc.tuple(fc.nat(), fc.constantFrom('x', '"', '\r', '\n', ' ')).map(
    ([at, letter]) =>
      (text: string) =>
        text.slice(0, at % text.length) + letter + text.slice((at % text.length) + 1),
  ),
  fc.nat().map((at) => changedLine(at, () => [])),
  fc.nat().map((at) => changedLine(at, (line) => [line, line])),
  fc.nat().map((at) => changedLine(at, (line) => [`${line}\r`])),
  fc.nat().map((at) => changedLine(at, (line) => ['', line])),
  fc.nat().map((at) => changedLine(at, (line) => [line.replace(/,"sum":"[0-9a-f]{8}"/, '')])),
  fc.nat().map((at) => changedLine(at, (line) => [line.replace('"content":"', '"content":"again ')])),
  fc.nat().map((at) => changedLine(at, (line) => ['<<<<<<< HEAD', line, '=======', '>>>>>>> other'])),
  fc.nat().map((at) => changedLine(at, (line) => [line, '{"type":"later","id":"l-1"}'])),
)

function changedLine(at: number, change: (line: string) => readonly string[]): (text: string) => string {
  return (text) => {
    const lines = text.split('\n').slice(0, -1)
    lines.splice(at % lines.length, 1, ...change(lines[at % lines.length] ?? ''))
    return lines.map((line) => `${line}\n`).join('')
  }
}

describe('the index of a session', () => {
  it('N2 a session opens the same with and without it, whatever the file contains and whatever happens to it', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    let used = 0
    await fc.assert(
      fc.asyncProperty(beginning, following, anyChange, async (records, more, change) => {
        rmSync(indexPath(path), { force: true })
        writeFileSync(path, fileOf(records))
        await index(path)
        writeFileSync(path, change(fileOf([...records, ...more])))
        const [withIndex, without] = await both(path)
        expectDigests(withIndex)
        expectSame(withIndex, without)
        const placed = await loaded(path, { placesTexts: true })
        expect(placed.indexed).toBe(withIndex.indexed)
        expect(seen(placed)).toEqual(seen(without))
        if (withIndex.indexed > 0) used++
        for (const record of [cell('z', 'new'), step('zs', 'c0', 'more'), result('zr', 'c1', 'x')])
          for (const { fold, records } of [withIndex, without]) {
            fold.add(record)
            records.push(record)
          }
        expectSame(withIndex, without)
      }),
      { numRuns: runs(150) },
    )
    expect(used).toBeGreaterThan(runs(150) / 10)
  })

  it('N2 a text that is missing is reported once with it as without, however many snapshots name it', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const known = named([cell('c0', 'one')], 'r')
    writeFileSync(path, fileOf(known))
    await index(path)
    const lost = (id: string) => ({ type: 'snapshot', id, at: '', hash: 'f'.repeat(64), size: 9 }) as const
    writeFileSync(path, fileOf([...known, lost('t-0'), lost('t-1')]))
    const [withIndex, without] = await both(path)
    expect(withIndex.indexed).toBeGreaterThan(0)
    expect(withIndex.notes).toHaveLength(1)
    expectSame(withIndex, without)
  })

  it('N2 an index updated from an older one equals one built from the whole file', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    await fc.assert(
      fc.asyncProperty(beginning, following, async (records, more) => {
        rmSync(indexPath(path), { force: true })
        writeFileSync(path, fileOf(records))
        await index(path)
        appendFileSync(path, more.map((record) => `${encodeRecord(record)}\n`).join(''))
        await index(path)
        if (!existsSync(indexPath(path))) return
        const grown = readFileSync(indexPath(path), 'utf8')
        rmSync(indexPath(path))
        await renewIndex(path, { size: statSync(path).size, indexed: 0 }, 0)
        if (grown.includes(`"bytes":${statSync(path).size},`))
          expect(grown).toBe(readFileSync(indexPath(path), 'utf8'))
      }),
      { numRuns: runs(60) },
    )
  })

  it('N2 an index that is cut off, of another version or of another file is ignored', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const records = [cell('c1', 'one'), step('s1', 'c1', 'answer'), cell('c2', 'two')]
    writeFileSync(path, fileOf(records))
    await index(path)
    const whole = readFileSync(indexPath(path))
    expect((await loaded(path)).indexed).toBe(statSync(path).size)
    for (const wrong of [
      whole.subarray(0, -1),
      Buffer.alloc(0),
      Buffer.from('{}'),
      Buffer.from('\0'.repeat(99)),
    ]) {
      writeFileSync(indexPath(path), wrong)
      expect((await loaded(path)).indexed).toBe(0)
    }
    writeFileSync(indexPath(path), whole)
    writeFileSync(path, fileOf([cell('c1', 'two'), step('s1', 'c1', 'answer'), cell('c2', 'one')]))
    const { indexed, fold } = await loaded(path)
    expect(indexed).toBe(0)
    expect(fold.session.cells.map(({ content }) => content)).toEqual(['two', 'one'])
  })

  it('N2 an index with a valid sum but parts of another form, or with lines that are not there, is ignored', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const records = [
      cell('c1', 'one'),
      step('s1', 'c1', 'answer'),
      result('r1', 'c1', 'x'),
      cell('c2', 'two'),
    ]
    writeFileSync(path, fileOf(records))
    await index(path)
    const whole = readFileSync(indexPath(path), 'utf8').slice(9)
    const forged = (change: (index: Forged) => void) => {
      const changed: Forged = JSON.parse(whole)
      change(changed)
      const body = Buffer.from(JSON.stringify(changed))
      writeFileSync(indexPath(path), `${crc32(body).toString(16).padStart(8, '0')}\n${body}`)
    }
    forged(() => undefined)
    expect((await loaded(path)).indexed).toBe(statSync(path).size)
    const cellsWith = (fields: object) => (index: Forged) => Object.assign(index.fold.cells ?? {}, fields)
    for (const change of [
      (index: Forged) => Object.assign(index, { fold: null }),
      (index: Forged) => Object.assign(index, { header: {} }),
      (index: Forged) => Object.assign(index, { types: { length: 4 } }),
      (index: Forged) => Object.assign(index, { types: 'kkkk' }),
      (index: Forged) => Object.assign(index, { openings: 7 }),
      (index: Forged) => Object.assign(index, { bytes: -5 }),
      (index: Forged) => Object.assign(index.fold, { cells: {} }),
      (index: Forged) => Object.assign(index.fold, { called: 1e9 }),
      (index: Forged) => Object.assign(index.fold, { unanswered: [{}] }),
      (index: Forged) => Object.assign(index.fold, { lastSent: 'now' }),
      cellsWith({ ids: ['c1', 'c1'] }),
      cellsWith({ contents: [2, 4] }),
      cellsWith({ contents: [1, 1] }),
      cellsWith({ contents: [1, 99] }),
      cellsWith({ said: [Array(1000).fill(3), []] }),
      cellsWith({ others: [[0, null]] }),
      cellsWith({ undos: [1] }),
    ]) {
      forged(change)
      const { indexed, fold } = await loaded(path)
      expect(indexed).toBe(0)
      expect(fold.session.cells.map(({ content }) => content)).toEqual(['one', 'two'])
    }
  })

  it('N2 a session gets one when it is closed, from a quarter of a megabyte on if a compaction hides rounds, else from 4 MB on', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    for (let round = 0; round < 300; round++) await addRound(file, `question ${round} ${'word '.repeat(200)}`)
    await file.close()
    expect(existsSync(indexPath(path))).toBe(false)
    const again = await reopened(path)
    await again.add({ type: 'compaction', compaction: { id: 'k', cells: 1, upTo: 2, compression: 'normal' } })
    await again.close()
    expect(existsSync(indexPath(path))).toBe(true)
    expect((await loaded(path)).indexed).toBeGreaterThan(0)
  })

  it('N2 a long session gets one when it is closed, the next opening uses it, and a text beside the file is still checked', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const long = 'long '.repeat(20_000)
    const { id: first } = await file.add({ type: 'cell', role: 'user', content: long })
    const texts = [long.slice(0, 9000), `${long.slice(0, 9000)}\ud800`]
    for (const [step, content] of texts.entries())
      await file.add({ type: 'result', cell: first, step, call: 'x', tool: 'Read', content })
    await file.recordSnapshot(long.slice(0, 8000))
    for (let round = 0; round < 300; round++)
      await addRound(file, `question ${round} ${'word '.repeat(3000)}`)
    await file.close()
    expect(statSync(indexPath(path)).mode & 0o777).toBe(0o600)
    const again = await reopened(path)
    expect(again.session.cells).toHaveLength(301)
    expect(again.session.cells[0]?.metadata?.mutsumi_interaction?.map(({ content }) => content)).toEqual(
      texts,
    )
    expect(again.session.cells[0]?.content).toBe(long)
    expect(again.notes).toEqual([])
    const { id } = await again.add({ type: 'cell', role: 'user', content: 'and on' })
    expect(again.recordsSince(id)).toMatchObject([{ type: 'cell', content: 'and on' }])
    expect([...again.newestRecords('step')].slice(0, 2)).toEqual(
      again.records
        .filter(({ type }) => type === 'step')
        .slice(-2)
        .reverse(),
    )
    await again.close()
    rmSync(`${path}.d`, { recursive: true })
    const [withIndex, without] = await both(path)
    expectSame(withIndex, without)
    expect(without.notes).toMatchObject([{ code: 'missing-content' }])
  })

  it('Z8 a file whose header is not its first line gets none; an index about other lines is ignored', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const records = [cell('c1', 'one'), step('s1', 'c1', 'answer'), cell('c2', 'two')]
    const lines = fileOf(records).split('\n').slice(0, -1)
    const fileWith = (...order: number[]) => `${order.map((at) => lines[at]).join('\n')}\n`
    for (const order of [
      [1, 0, 2, 3],
      [3, 2, 1, 0],
      [2, 1, 0, 3],
    ]) {
      writeFileSync(path, fileWith(...order))
      rmSync(indexPath(path), { force: true })
      await index(path)
      expect(existsSync(indexPath(path))).toBe(false)
    }
    // As versions before wrote it for such a file: its sum fits.
    writeFileSync(path, fileOf(records))
    await index(path)
    const before = JSON.parse(readFileSync(indexPath(path), 'utf8').slice(9))
    const moved = fileWith(1, 0, 2, 3)
    writeFileSync(path, moved)
    const body = Buffer.from(JSON.stringify({ ...before, sum: crc32(moved) }))
    writeFileSync(indexPath(path), `${crc32(body).toString(16).padStart(8, '0')}\n${body}`)
    const { indexed, fold } = await loaded(path)
    expect([indexed, fold.session.cells.map(({ content }) => content)]).toEqual([0, ['one', 'two']])
  })

  it('Z8 a rotten text beside the file is reported with an index as without, when it is read', async () => {
    const path = join(temporaryFolder(), 'a.mtm')
    const file = await created(path)
    const long = 'long '.repeat(20_000)
    await file.add({ type: 'cell', role: 'user', content: long })
    for (let round = 0; round < 300; round++)
      await addRound(file, `question ${round} ${'word '.repeat(3000)}`)
    const [name = ''] = readdirSync(`${path}.d`)
    const place = join(`${path}.d`, name)
    utimesSync(place, 1000, 1000)
    await file.close()
    writeFileSync(place, long.replace('long', 'lomg'))
    utimesSync(place, 1000, 1000)
    expect((await loaded(path)).indexed).toBeGreaterThan(0)
    const again = await reopened(path, { readOnly: true })
    expect(again.session.cells[0]?.content).toContain('is missing')
    const { notes, news } = again
    expect(notes).toMatchObject([{ code: 'missing-content', message: expect.stringContaining('is damaged') }])
    expect(news).toEqual(notes)
    await again.close()
    rmSync(indexPath(path))
    expect((await reopened(path, { readOnly: true })).notes).toEqual(notes)
  })
})
