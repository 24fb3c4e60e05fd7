import { spawnSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AgentMessage } from '@mutsumi/schema'
import { encodeRecord, replayRequest } from '@mutsumi/session'
import { MessageHashes, RecordedTexts, requestRecord } from '@mutsumi/session/parts'
import { describe, expect, it } from 'vitest'
import {
  acceptForeign,
  foreignRecords,
  forkSession,
  openSession,
  renameSession,
  type SessionFile,
  sha256,
} from '../../src/node.js'
import { contentFolder } from '../../src/store/companion-paths.js'
import { addRound, cellsOf, created, reopened, sessionWith, temporaryFolder } from '../support/store-world.js'

/** A text editor that saves: another file takes the place of this one. */
function edit(path: string, script: string): void {
  const { status, stderr } = spawnSync('sed', ['-i', script, path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** Part of a script: a person who edits a line takes its sum out. */
const withoutSum = 's/,"sum":"[0-9a-f]*"//'

function besides(path: string): readonly string[] {
  return readdirSync(dirname(path)).filter((name) => name !== 'talk.mtm' && !name.endsWith('.lock'))
}

function texts(file: SessionFile): readonly string[] {
  return file.session.cells.map(({ content }) => content)
}

describe('a line that a person edits while nobody has the session open', () => {
  it('Z4 it is kept with a note and not used, with its answers, until a person accepts it', async () => {
    const path = await sessionWith(3)
    edit(
      path,
      `s/"question 2"/"what I meant to ask"/; /answer to question 3/{s//a better answer/; ${withoutSum}}`,
    )
    const edited = readFileSync(path, 'utf8')
    for (const readOnly of [true, false]) {
      const file = await reopened(path, { readOnly })
      expect(texts(file)).toEqual(['question 1', 'question 3'])
      expect(file.session.cells[1]?.metadata?.mutsumi_interaction).toEqual([])
      expect(JSON.stringify(file.records)).not.toContain('meant to ask')
      expect(file.notes).toMatchObject([
        {
          code: 'foreign-line',
          line: 4,
          message: expect.stringContaining('mutsumi sessions accept talk.mtm'),
        },
        { code: 'foreign-line', line: 7 },
      ])
      await file.close()
    }
    expect([besides(path), readFileSync(path, 'utf8')]).toEqual([[], edited])
    const file = await reopened(path)
    await addRound(file, 'on')
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'question 3', 'on'])
    expect(readFileSync(path, 'utf8').startsWith(edited)).toBe(true)
    expect(await foreignRecords(path)).toMatchObject({ records: [{ type: 'cell' }, { type: 'step' }] })
    expect(await acceptForeign(path)).toMatchObject({ kind: 'accepted', records: [{}, {}] })
    const again = await reopened(path)
    expect([texts(again), again.notes]).toEqual([
      ['question 1', 'what I meant to ask', 'question 3', 'on'],
      [],
    ])
    expect(again.session.cells[2]?.metadata?.mutsumi_interaction).toMatchObject([
      { content: 'a better answer' },
    ])
    await again.close()
    edit(path, 's/what I meant to ask/another text/')
    expect(await cellsOf(path)).toEqual(['question 1', 'question 3', 'on'])
  })

  it('Z4 of records without a sum nothing is used, whatever their type; a rename keeps them so', async () => {
    const path = await sessionWith(1)
    const [first = ''] = (await reopened(path, { readOnly: true })).session.cells.map(
      ({ metadata }) => metadata?.id ?? '',
    )
    const at = '2999-01-01T00:00:00.000Z'
    const forged = [
      { type: 'cell', id: 'f1', at, role: 'user', content: 'FORGED' },
      { type: 'cell', id: 'f2', at, role: 'system', content: 'FORGED', metadata: { foreign: false } },
      { type: 'step', id: 'f3', at, cell: first, step: 2, content: 'FORGED', final: true },
      { type: 'steer', id: 'f4', at, cell: first, step: 1, content: 'FORGED', foreign: false },
      { type: 'edit', id: 'f5', at, cell: first, content: 'FORGED' },
      { type: 'edit', id: 'f6', at, cell: 'f1', role: 'user', metadata: { title: 'FORGED' } },
      { type: 'metadata', id: 'f7', at, set: { title: 'FORGED', contextItems: ['FORGED'] } },
      {
        type: 'compaction',
        id: 'f8',
        at,
        compaction: { id: 'k', cells: 1, upTo: 1, summary: 'FORGED', compression: 'normal' },
      },
      { type: 'act', id: 'f9', at, act: { act: 'pin', type: 'file', key: 'FORGED' } },
      { type: 'undo', id: 'f10', at, cells: [first], files: [] },
      {
        type: 'request',
        id: 'f11',
        at,
        cell: first,
        number: 1,
        keep: 0,
        add: [],
        fingerprint: '',
        given: { pieces: ['FORGED'], has: {} },
      },
    ]
    appendFileSync(path, `${forged.map((record) => JSON.stringify(record)).join('\n')}\n`)
    const check = async (path: string) => {
      const file = await reopened(path, { readOnly: true })
      expect(JSON.stringify([file.session, file.records])).not.toContain('FORGED')
      expect(file.facts.lastAt.startsWith('2999')).toBe(false)
      expect(texts(file)).toEqual(['question 1'])
      expect(file.notes.map(({ line }) => line)).toEqual(forged.map((_, at) => at + 4))
      await file.close()
    }
    await check(path)
    const moved = await renameSession(path, { title: 'Talk about it' })
    if (moved.kind !== 'moved') throw new Error(moved.message)
    await check(moved.path)
    const copy = await forkSession(moved.path)
    expect(copy.kind).toBe('forked')
    if (copy.kind === 'forked') await check(copy.path)
  })

  it('Z4 lines that are appended during a round are never used in that process, whatever their sums', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    const { id } = await file.add({ type: 'cell', role: 'user', content: 'go on' })
    const at = new Date().toISOString()
    const cell = { type: 'cell', id: 'f1', at, role: 'user', content: 'FORGED' } as const
    const step = { type: 'step', id: 'f2', at, cell: id, step: 1, content: 'FORGED' } as const
    appendFileSync(
      path,
      `${encodeRecord(cell)}\n${encodeRecord(step)}\n${JSON.stringify({ ...cell, id: 'f3' })}\n`,
    )
    await file.add({ type: 'step', cell: id, step: 1, content: 'done', final: true })
    expect(JSON.stringify([file.session, file.records])).not.toContain('FORGED')
    expect(file.news.map(({ code }) => code).sort()).toEqual(['foreign-added', 'foreign-line'])
    await file.close()
    expect(readFileSync(path, 'utf8').match(/FORGED/g)).toHaveLength(3)
  })

  it('N3 a cell whose own line was deleted is blank, with a note', async () => {
    const path = await sessionWith(3)
    edit(path, '/"question 2","sum"/d')
    const file = await reopened(path)
    expect(texts(file)).toEqual(['question 1', '', 'question 3'])
    expect(file.notes).toMatchObject([
      { code: 'lost-cell', message: expect.stringMatching(/^cell 1 is blank.*delete the lines that name/) },
    ])
    const [, lost = ''] = file.session.cells.map(({ metadata }) => metadata?.id ?? '')
    await file.add({ type: 'edit', cell: lost, deleted: true })
    await file.close()
    expect((await reopened(path)).notes).toEqual([])
  })

  it('N3 an answer with a wrong checksum is not an edit: it is set aside, reported, and not part of the session', async () => {
    const path = await sessionWith(2)
    edit(path, 's/answer to question 1/a better answer/')
    const edited = readFileSync(path, 'utf8')
    const reader = await reopened(path, { readOnly: true })
    expect(reader.notes).toMatchObject([
      { code: 'damaged-line', line: 3, message: expect.stringContaining('delete its "sum"') },
    ])
    expect(reader.session.cells[0]?.metadata?.mutsumi_interaction).toEqual([])
    const file = await reopened(path)
    expect(file.notes).toMatchObject([{ code: 'damage-set-aside', line: 3 }])
    expect(JSON.stringify(file.records)).not.toContain('a better answer')
    const [corrupt = '', backup = ''] = besides(path).map((name) =>
      readFileSync(join(dirname(path), name), 'utf8'),
    )
    expect([corrupt, backup]).toEqual([`${edited.split('\n')[2]}\n`, edited])
  })

  it('N1 an edited title is accepted if the header’s sum was removed, and the session can be written', async () => {
    const path = await sessionWith(1)
    edit(path, '1s/"metadata":{}/"metadata":{"title":"By hand"}/')
    expect(await openSession(path)).toMatchObject({
      kind: 'fault',
      code: 'bad-header',
      message: expect.stringMatching(/delete its "sum"/),
    })
    edit(path, `1${withoutSum}`)
    const file = await reopened(path)
    expect(file.session.metadata.title).toBe('By hand')
    await addRound(file, 'on')
    expect(texts(file)).toEqual(['question 1', 'on'])
  })
})

describe('a session that is edited while it is open', () => {
  it('N1 N4 Z4 deletions become records, texts of others stay unused, and sent requests can still be replayed', async () => {
    const path = await sessionWith(3)
    appendFileSync(path, '{"type":"mood","id":"x1","at":"now"}\n')
    const file = await reopened(path)
    const large = `large ${'l'.repeat(70_000)}`
    await addRound(file, large)
    const asked = await new Asker(file).ask()
    const [, second = '', third = '', fourth = ''] = file.session.cells.map(
      ({ metadata }) => metadata?.id ?? '',
    )
    await addRound(file, 'last')
    edit(
      path,
      `s/"question 1"/"question one"/; /"id":"${second}"/d; /"id":"${third}"/d; /"cell":"${third}"/d`,
    )
    const asLeft = readFileSync(path, 'utf8')
    await addRound(file, 'on')
    expect(texts(file)).toEqual(['question 1', large, 'last', 'on'])
    expect(file.records.filter(({ type }) => type === 'edit')).toMatchObject([
      { cell: second, deleted: true },
      { cell: third, deleted: true },
    ])
    expect(file.notes).toMatchObject([
      {
        code: 'edits-taken',
        message: expect.stringMatching(/^2 edits .*One text .* not used.*talk\.mtm\.bak-/),
      },
      { code: 'foreign-line' },
    ])
    const [backup = '', ...others] = besides(path).filter((name) => name !== 'talk.mtm.d')
    expect([others, readFileSync(join(dirname(path), backup), 'utf8')]).toEqual([[], asLeft])
    await file.close()
    const again = await reopened(path)
    expect(again.notes).toMatchObject([{ code: 'foreign-line' }])
    expect(texts(again)).toEqual(['question 1', large, 'last', 'on'])
    expect(again.records.filter(({ type }) => type === 'step')).toHaveLength(6)
    expect(fourth).not.toBe('')
    expect(readFileSync(path, 'utf8')).toContain('\n{"type":"mood","id":"x1","at":"now"}\n')
    expect(replayed(again, asked.id)).toEqual({ kind: 'request', contents: asked.contents })
  })

  it('N1 Z4 a moved cell is as the other program left it; a new and a retyped one are not used', async () => {
    const path = await sessionWith(2)
    const file = await reopened(path)
    const [first = ''] = file.session.cells.map(({ metadata }) => metadata?.id ?? '')
    appendFileSync(
      path,
      `{"type":"cell","id":"mine","at":"now","role":"user","content":"by hand","after":"${first}"}\n`,
    )
    edit(path, 's/"role":"user","content":"question 2"/"role":"system","content":"note"/')
    expect(await file.refresh()).toBe('reloaded')
    expect(texts(file)).toEqual(['question 1', 'question 2'])
    expect(file.session.cells.map(({ metadata }) => metadata?.role)).toEqual(['user', 'user'])
    await file.close()
    expect(await acceptForeign(path)).toMatchObject({
      records: [{ content: 'by hand' }, { role: 'system', content: 'note' }],
    })
    const again = await reopened(path)
    expect(texts(again)).toEqual(['question 1', 'by hand', 'note'])
    expect(again.session.cells.map(({ metadata }) => metadata?.role)).toEqual(['user', 'user', 'system'])
  })

  it('N1 N4 after a whole round is deleted, every request can be proved, and later rounds keep what they build on', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    const file = await created(path)
    const asker = new Asker(file)
    await asker.round('zero')
    const from = lineCount(path)
    await asker.round('one', `rules ${'r'.repeat(2_000)}`)
    await file.add({ type: 'metadata', set: {}, splice: { seen: { at: 0, remove: 0, insert: ['one.ts'] } } })
    const to = lineCount(path)
    await asker.round('two', `rules ${'r'.repeat(2_000)}`)
    await file.add({ type: 'metadata', set: {}, splice: { seen: { at: 1, remove: 0, insert: ['two.ts'] } } })
    edit(path, `${from + 1},${to}d`)
    await asker.round('three', `rules ${'r'.repeat(2_000)}`)
    expect(texts(file)).toEqual(['zero', 'two', 'three'])
    expect(file.notes).toMatchObject([
      {
        code: 'edits-taken',
        message: expect.stringMatching(/^One edit by another program was adopted\. The/),
      },
    ])
    expect(besides(path)).toEqual([expect.stringMatching(/^talk\.mtm\.bak-/)])
    await file.close()
    const again = await reopened(path)
    expect([again.notes, texts(again)]).toEqual([[], ['zero', 'two', 'three']])
    expect(again.session.metadata.seen).toEqual(['one.ts', 'two.ts'])
    expect(again.facts.usage.size).toBe(4)
    for (const { id, contents } of asker.sent)
      expect(replayed(again, id)).toEqual({ kind: 'request', contents })
  })

  it('N1 N4 a change of one letter of a cell is an edit, and sent requests can still be replayed', async () => {
    const path = await sessionWith(2)
    const file = await reopened(path)
    const asker = new Asker(file)
    await asker.round('three')
    edit(path, 's/"question 1"/"Question 1"/')
    await addRound(file, 'on')
    expect(texts(file)).toEqual(['question 1', 'question 2', 'three', 'on'])
    expect(file.notes).toMatchObject([
      { code: 'edits-taken', message: expect.stringMatching(/^One text .* not used/) },
      { code: 'foreign-line' },
    ])
    for (const { id, contents } of asker.sent)
      expect(replayed(file, id)).toEqual({ kind: 'request', contents })
  })

  it('N4 changed or deleted answers and requests are restored, and a copy of the edited file is kept', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    const file = await created(path)
    const asker = new Asker(file)
    for (const name of ['one', 'two', 'three']) await asker.round(name, `rules ${'r'.repeat(2_000)}`)
    const before = readFileSync(path, 'utf8').trimEnd().split('\n').slice(1)
    edit(
      path,
      `/answer to one/{s//another answer/; ${withoutSum}}; /"content":"rules/{s//"content":"no rules/; ${withoutSum}}; ` +
        `/answer to two/d; 3{s/"number":1/"number":7/; ${withoutSum}}`,
    )
    const asLeft = readFileSync(path, 'utf8')
    await addRound(file, 'on')
    expect(file.session.cells.map(({ metadata }) => metadata?.mutsumi_interaction)).toMatchObject([
      [{ content: 'answer to one' }],
      [{ content: 'answer to two' }],
      [{ content: 'answer to three' }],
      [{ content: 'answer to on' }],
    ])
    expect(file.notes).toMatchObject([
      { code: 'edits-taken', message: expect.stringMatching(/^\d lines were restored.*\.bak-/) },
    ])
    const [backup = '', ...others] = besides(path)
    expect([others, readFileSync(join(dirname(path), backup), 'utf8')]).toEqual([[], asLeft])
    const after = readFileSync(path, 'utf8').trimEnd().split('\n').slice(1)
    expect(after.slice(0, before.length)).toEqual(before)
    for (const { id, contents } of asker.sent)
      expect(replayed(file, id)).toEqual({ kind: 'request', contents })
  })

  it('N1 deleting the line of a compaction, an act or a deletion undoes it; the line is kept beside the file', async () => {
    const path = await sessionWith(3)
    const file = await reopened(path)
    const [first = '', second = ''] = file.session.cells.map(({ metadata }) => metadata?.id ?? '')
    const compaction = { id: 'k', cells: 1, upTo: 2, compression: 'normal' } as const
    await file.add({ type: 'compaction', compaction, last: first })
    await file.add({ type: 'act', act: { act: 'pin', type: 'file', key: 'a.ts' } })
    await file.add({ type: 'edit', cell: second, deleted: true })
    await addRound(file, 'last')
    expect(texts(file)).toEqual(['question 1', 'question 3', 'last'])
    edit(path, '/"type":"compaction"/d; /"type":"act"/d; /"deleted":true/d')
    await file.refresh()
    expect(texts(file)).toEqual(['question 1', 'question 2', 'question 3', 'last'])
    expect([file.session.compactions, file.session.acts]).toEqual([undefined, undefined])
    expect(file.notes).toMatchObject([
      { code: 'records-lost', message: expect.stringMatching(/^3 records /) },
    ])
  })

  it('N1 deleting the line of an edit undoes it, and requests that were sent with it can still be replayed', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    const [first = ''] = file.session.cells.map(({ metadata }) => metadata?.id ?? '')
    await file.add({ type: 'edit', cell: first, content: 'question one' })
    const asker = new Asker(file)
    await asker.round('two')
    edit(path, '/"type":"edit"/d')
    await file.refresh()
    expect(texts(file)).toEqual(['question 1', 'two'])
    for (const { id, contents } of asker.sent)
      expect(replayed(file, id)).toEqual({ kind: 'request', contents })
  })

  it('N3 an older copy that has no record yet is an older copy: nothing was deleted', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    const file = await created(path)
    const older = readFileSync(path)
    for (const name of ['one', 'two', 'three']) await addRound(file, name)
    writeFileSync(path, older)
    await addRound(file, 'on')
    expect(texts(file)).toEqual(['on'])
    expect(file.records.map(({ type }) => type)).toEqual(['cell', 'step'])
    expect(file.notes).toMatchObject([
      { code: 'records-lost', message: expect.stringMatching(/^6 records /) },
    ])
    expect(besides(path)).toEqual([expect.stringMatching(/^talk\.lost-/)])
  })

  it('N3 lines that the disk damaged or lost are not edits, and are restored from memory', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    const file = await created(path)
    for (const name of ['one', 'two', `large ${'l'.repeat(70_000)}`, 'last']) await addRound(file, name)
    const edits = () => file.records.filter(({ type }) => type === 'edit')
    rmSync(contentFolder(path), { recursive: true })
    edit(path, 's/"content":"one"/"content":"first"/')
    await file.refresh()
    expect(edits()).toEqual([])
    expect(texts(file)).toEqual(['one', 'two', expect.stringMatching(/^\(the text .* is missing/), 'last'])
    // One bit each: of a cell's role, and of what was said.
    edit(
      path,
      's/"role":"user","content":"two"/"role":"usep","content":"two"/; s/answer to two/answer to twn/',
    )
    await file.refresh()
    const codes = file.notes
      .map(({ code }) => code)
      .filter((code) => !['missing-content', 'foreign-line'].includes(code))
    expect(codes).toEqual(['edits-taken', 'damage-set-aside', 'edits-taken'])
    expect(file.notes).toContainEqual({
      code: 'edits-taken',
      source: 'talk.mtm',
      message: expect.stringMatching(/^2 lines were restored/),
    })
    expect(edits()).toEqual([])
    expect(file.session.cells[1]).toMatchObject({
      content: 'two',
      metadata: { role: 'user', mutsumi_interaction: [{ content: 'answer to two' }] },
    })
  })
})

/** Asks as an agent does: each request says all that there is and keeps what the one before it said. */
class Asker {
  readonly sent: { readonly id: string; readonly contents: readonly unknown[] }[] = []
  #previous: readonly AgentMessage[] = []
  #generation = 0

  constructor(private readonly file: SessionFile) {}

  /** A round with an answer; `rules` are sent in front, and kept by their hash if they are long. */
  async round(question: string, rules = 'be brief'): Promise<void> {
    const { file } = this
    const { id: cell } = await file.add({ type: 'cell', role: 'user', content: question })
    const { id } = await this.ask(rules)
    await file.add({ type: 'usage', request: id, input: 1, output: 1 })
    await file.add({ type: 'step', cell, step: 1, content: `answer to ${question}`, final: true })
  }

  async ask(rules?: string): Promise<{ id: string; contents: readonly unknown[] }> {
    const { file } = this
    const messages: AgentMessage[] = [
      ...(rules === undefined ? [] : [{ role: 'system' as const, content: rules }]),
      ...file.session.cells.map(({ content }) => ({ role: 'user' as const, content })),
    ]
    const { snapshots, ...described } = requestRecord(messages, {
      previous: this.#generation === file.generation ? this.#previous : [],
      known: new RecordedTexts(sha256, file.records),
      hashes: new MessageHashes(sha256),
      hash: sha256,
    })
    for (const { content } of snapshots) await file.recordSnapshot(content)
    const cell = file.session.cells.at(-1)?.metadata?.id ?? ''
    const { id } = await file.add({ type: 'request', cell, number: 1, ...described })
    this.#previous = messages
    this.#generation = file.generation
    const asked = { id, contents: messages.map(({ content }) => content) }
    this.sent.push(asked)
    return asked
  }
}

function lineCount(path: string): number {
  return readFileSync(path, 'utf8').trimEnd().split('\n').length
}

function replayed(file: SessionFile, id: string) {
  const textOf = (hash: string) => {
    const reading = file.readSnapshot(hash)
    return reading.kind === 'content' ? reading.text : undefined
  }
  const replay = replayRequest(file.records, { id }, { hash: sha256, textOf, render: () => undefined })
  return {
    kind: replay.kind,
    contents: 'messages' in replay ? replay.messages.map(({ content }) => content) : [],
  }
}
