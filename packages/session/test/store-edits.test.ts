import { spawnSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MessageHashes, RecordedTexts, replayRequest, requestRecord } from '@mutsumi/session'
import { describe, expect, it } from 'vitest'
import { contentFolder, type SessionFile, sha256 } from '../src/node.js'
import { addRound, cellsOf, created, reopened, sessionWith, temporaryFolder } from './support/store-world.js'

/** A text editor that saves: another file takes the place of this one. */
function edit(path: string, script: string): void {
  const { status, stderr } = spawnSync('sed', ['-i', script, path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function besides(path: string): readonly string[] {
  return readdirSync(dirname(path)).filter((name) => name !== 'talk.mtm' && !name.endsWith('.lock'))
}

function texts(file: SessionFile): readonly string[] {
  return file.session.cells.map(({ content }) => content)
}

describe('a line that a person edits while nobody has the session open', () => {
  it('N1 its text is taken although its checksum is another one, with a note, and nothing is set aside', async () => {
    const path = await sessionWith(3)
    edit(path, 's/"question 2"/"what I meant to ask"/; s/answer to question 3/a better answer/')
    const edited = readFileSync(path, 'utf8')
    for (const readOnly of [true, false]) {
      const file = await reopened(path, { readOnly })
      expect(texts(file)).toEqual(['question 1', 'what I meant to ask', 'question 3'])
      expect(file.session.cells[2]?.metadata?.mutsumi_interaction).toMatchObject([
        { content: 'a better answer' },
      ])
      expect(file.notes).toMatchObject([
        { code: 'edited-line', line: 4, message: expect.stringContaining('take its "sum" out') },
        { code: 'edited-line', line: 7 },
      ])
      await file.close()
    }
    expect([besides(path), readFileSync(path, 'utf8')]).toEqual([[], edited])
    const file = await reopened(path)
    await addRound(file, 'on')
    await file.close()
    expect(await cellsOf(path)).toEqual(['question 1', 'what I meant to ask', 'question 3', 'on'])
    expect(readFileSync(path, 'utf8').startsWith(edited)).toBe(true)
  })

  it('N1 the title of a header is taken too, and the session can be written', async () => {
    const path = await sessionWith(1)
    edit(path, '1s/"metadata":{}/"metadata":{"title":"By hand"}/')
    const file = await reopened(path)
    expect(file.session.metadata.title).toBe('By hand')
    await addRound(file, 'on')
    expect(texts(file)).toEqual(['question 1', 'on'])
  })
})

describe('a session that is edited while it is open', () => {
  it('N1 N4 edits and deletions become records, and what was sent is still replayed', async () => {
    const path = await sessionWith(3)
    appendFileSync(path, '{"type":"mood","id":"x1","at":"now"}\n')
    const file = await reopened(path)
    const large = `large ${'l'.repeat(70_000)}`
    await addRound(file, large)
    const asked = await ask(file)
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
    expect(texts(file)).toEqual(['question one', large, 'last', 'on'])
    expect(file.records.filter(({ type }) => type === 'edit')).toMatchObject([
      { cell: second, deleted: true },
      { cell: third, deleted: true },
      { content: 'question one' },
    ])
    expect(file.notes).toMatchObject([
      { code: 'edits-taken', message: expect.stringMatching(/^3 edits .*talk\.mtm\.bak-/) },
    ])
    const [backup = '', ...others] = besides(path).filter((name) => name !== 'talk.mtm.d')
    expect([others, readFileSync(join(dirname(path), backup), 'utf8')]).toEqual([[], asLeft])
    await file.close()
    const again = await reopened(path)
    expect([again.notes, texts(again)]).toEqual([[], ['question one', large, 'last', 'on']])
    expect(again.records.filter(({ type }) => type === 'step')).toHaveLength(6)
    expect(fourth).not.toBe('')
    expect(readFileSync(path, 'utf8')).toContain('\n{"type":"mood","id":"x1","at":"now"}\n')
    expect(replayed(again, asked.id)).toEqual({ kind: 'request', contents: asked.contents })
  })

  it('N1 a moved, a new and a retyped cell are as the person left them', async () => {
    const path = await sessionWith(2)
    const file = await reopened(path)
    const [first = ''] = file.session.cells.map(({ metadata }) => metadata?.id ?? '')
    appendFileSync(
      path,
      `{"type":"cell","id":"mine","at":"now","role":"user","content":"by hand","after":"${first}"}\n`,
    )
    edit(path, 's/"role":"user","content":"question 2"/"role":"system","content":"note"/')
    expect(await file.refresh()).toBe('reloaded')
    expect(texts(file)).toEqual(['question 1', 'by hand', 'note'])
    expect(file.session.cells.map(({ metadata }) => metadata?.role)).toEqual(['user', 'user', 'system'])
    expect(file.records.filter(({ type }) => type === 'edit')).toMatchObject([
      { role: 'system', content: 'note' },
    ])
  })

  it('N3 what the disk damaged or lost is no edit of anybody', async () => {
    const path = join(temporaryFolder(), 'talk.mtm')
    const file = await created(path)
    for (const name of ['one', 'two', `large ${'l'.repeat(70_000)}`, 'last']) await addRound(file, name)
    const edits = () => file.records.filter(({ type }) => type === 'edit')
    rmSync(contentFolder(path), { recursive: true })
    edit(path, 's/"content":"one"/"content":"first"/')
    await file.refresh()
    expect(edits()).toMatchObject([{ content: 'first' }])
    expect(texts(file)).toEqual(['first', 'two', expect.stringMatching(/^\(the text .* is missing/), 'last'])
    // One bit: o and n.
    writeFileSync(path, readFileSync(path, 'utf8').replace('"content":"two"', '"content":"twn"'))
    await file.refresh()
    const codes = file.notes.map(({ code }) => code).filter((code) => code !== 'missing-content')
    expect(codes).toEqual(['edits-taken', 'records-lost', 'damage-set-aside'])
    expect(edits()).toHaveLength(1)
  })
})

/** A request with all that was said, as an agent records it. */
async function ask(file: SessionFile): Promise<{ id: string; contents: readonly unknown[] }> {
  const messages = file.session.cells.map(({ content }) => ({ role: 'user' as const, content }))
  const { snapshots, ...described } = requestRecord(messages, {
    previous: [],
    known: new RecordedTexts(sha256, file.records),
    hashes: new MessageHashes(sha256),
    hash: sha256,
  })
  expect(snapshots).toEqual([])
  const cell = file.session.cells.at(-1)?.metadata?.id ?? ''
  const { id } = await file.add({ type: 'request', cell, number: 1, ...described })
  return { id, contents: messages.map(({ content }) => content) }
}

function replayed(file: SessionFile, id: string) {
  const replay = replayRequest(file.records, { id }, { hash: sha256, textOf: () => undefined })
  return {
    kind: replay.kind,
    contents: 'messages' in replay ? replay.messages.map(({ content }) => content) : [],
  }
}
