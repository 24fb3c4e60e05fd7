import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { AgentMessage } from '@mutsumi/schema'
import { describe, expect, it } from 'vitest'
import { type LogFile, type SessionFile, sha256 } from '../../src/node.js'
import { PlacedTexts } from '../../src/store/placed-texts.js'
import { addRound, created, reopened, temporaryFolder } from '../support/store-world.js'

const text = (number: number) => `${JSON.stringify({ number, é: '\u{1f427}\n"' })} ${'x'.repeat(60_000)}`

/** A round with so many results of 60 KB; 70 of them are more than stays in memory. */
async function openedWith(results: number): Promise<{ path: string; file: SessionFile }> {
  const path = join(temporaryFolder(), 'long.mtm')
  const file = await created(path)
  await addResults(file, 0, results)
  return { path, file }
}

async function addResults(file: SessionFile, from: number, to: number): Promise<void> {
  const cell = await addRound(file, `read ${from} to ${to}`)
  for (let number = from; number < to; number++) {
    const content = text(number)
    const result = { type: 'result', cell, step: 1, call: `c${number}`, tool: 'Read', content } as const
    await file.add({ ...result, observation: sha256(content) })
  }
}

function results(file: SessionFile): readonly AgentMessage[] {
  return file.session.cells.flatMap(({ metadata }) =>
    (metadata?.mutsumi_interaction ?? []).filter(({ role }) => role === 'tool'),
  )
}

const contents = (file: SessionFile) => results(file).map(({ content }) => content)
const texts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => text(from + index))

describe('long texts that stay in the file', () => {
  it('N1 are the same in the running process, after it closed the session, and in the next one', async () => {
    const { path, file } = await openedWith(80)
    expect(contents(file)).toEqual(texts(0, 80))
    await file.close()
    expect(contents(file)).toEqual(texts(0, 80))
    const again = await reopened(path)
    await addResults(again, 80, 90)
    expect(contents(again)).toEqual(texts(0, 90))
    expect(again.notes).toEqual([])
  })

  it('N1 a snapshot is read from its line, and is not written twice', async () => {
    const { file } = await openedWith(0)
    const hashes: string[] = []
    for (const content of texts(0, 80)) hashes.push(await file.recordSnapshot(content))
    const count = file.records.length
    await file.recordSnapshot(text(0))
    expect(file.records).toHaveLength(count)
    expect(hashes.map((hash) => file.snapshotText(hash))).toEqual(texts(0, 80))
  })

  it('N1 a record and a message can be copied, listed and written as JSON like any other', async () => {
    const { file } = await openedWith(1)
    const [message] = results(file)
    expect(Object.keys(message ?? {})).toEqual(['role', 'content', 'metadata'])
    expect({ ...message }.content).toBe(text(0))
    expect(JSON.parse(JSON.stringify(file.records.at(-1)))).toMatchObject({ call: 'c0', content: text(0) })
  })

  it('N3 a deleted file is written again with all of them', async () => {
    const { path, file } = await openedWith(80)
    rmSync(path)
    await addResults(file, 80, 81)
    expect(contents(file)).toEqual(texts(0, 81))
    expect(contents(await reopened(path, { readOnly: true }))).toEqual(texts(0, 81))
  })

  it('N3 a replaced file does not take them along: the rescued session has all of them', async () => {
    const { path, file } = await openedWith(80)
    const other = await created(join(temporaryFolder(), 'other.mtm'))
    renameSync(other.path, path)
    const error = await file.add({ type: 'cell', role: 'user', content: 'more' }).catch(String)
    const rescued = /are in (\S+\.mtm)/.exec(String(error))?.[1] ?? ''
    expect(contents(await reopened(rescued, { readOnly: true }))).toEqual(texts(0, 80))
  })

  it('N3 a file that is written over in place, unchanged or with lines of another program, keeps them', async () => {
    const { path, file } = await openedWith(80)
    const lines = readFileSync(path, 'utf8')
    const [header = '', ...rest] = lines.split('\n')
    writeFileSync(path, [header, '{"type":"mood","id":"x1","at":"now"}', ...rest].join('\n'))
    await addResults(file, 80, 81)
    expect(contents(file)).toEqual(texts(0, 81))
    expect(file.news).toEqual([])
  })

  it('N3 a file that is emptied in place has the newest again, and says how many of the older ones are lost', async () => {
    const { path, file } = await openedWith(80)
    truncateSync(path, 0)
    await addResults(file, 80, 81)
    const now = contents(file)
    expect(now.slice(15)).toEqual(texts(15, 81))
    const gone = now.filter((content) => String(content).startsWith('(the text '))
    expect(gone.length).toBeGreaterThan(5)
    expect(file.news.find(({ code }) => code === 'texts-lost')?.message).toContain(
      `The long texts of ${gone.length} older records were only in the file`,
    )
    expect(contents(await reopened(path, { readOnly: true }))).toEqual(now)
  })

  it('N3 in an emptied file, a lost text is not replaced by the longer one that its observation names', async () => {
    const { path, file } = await openedWith(80)
    const cell = file.session.cells[0]?.metadata?.id ?? ''
    const whole = 'all of it '.repeat(20_000)
    const observation = await file.recordSnapshot(whole)
    const result = { type: 'result', cell, step: 1, tool: 'Read', observation } as const
    await file.add({ ...result, call: 'short', content: 'a part '.repeat(400) })
    await file.add({ ...result, call: 'large', content: whole })
    await addResults(file, 80, 160)
    truncateSync(path, 0)
    await addResults(file, 160, 161)
    const of = (call: string) => results(file).find(({ metadata }) => metadata?.call_id === call)?.content
    expect(of('short')).toMatch(/^\(the text [0-9a-f]{64} is missing/)
    expect(of('large')).toBe(whole)
    expect(file.notes.map(({ message }) => message).join('\n')).not.toContain('not a valid hash')
  })

  it('N1 are read although the file was closed a moment ago and its number belongs to another file', async () => {
    const { path, file } = await openedWith(1)
    await file.close()
    const bytes = readFileSync(path)
    const offset = bytes.indexOf('{"type":"result"')
    const length = bytes.indexOf('\n', offset) - offset
    const sum = bytes.toString('latin1', offset + length - 10, offset + length - 2)
    const id = file.records.at(-1)?.id ?? ''
    writeFileSync(`${path}.other`, 'x'.repeat(bytes.length))
    const fd = openSync(`${path}.other`, 'r')
    const read = () => new PlacedTexts(path, { fd } as LogFile).at(id, { offset, length, sum }).read()
    expect(read()).toBe(text(0))
    closeSync(fd)
    expect(read()).toBe(text(0))
    rmSync(path)
    expect(read).toThrow('can no longer be read')
  })

  it('N3 a text that another program changed is never returned as if it were the old one', async () => {
    const { path, file } = await openedWith(80)
    const message = results(file)[0]
    const changed = readFileSync(path)
    changed.write('y', changed.indexOf('xxxx'))
    const copy = `${path}.copy`
    writeFileSync(copy, changed)
    copyFileSync(copy, path)
    expect(() => message?.content).toThrow('can no longer be read')
  })
})

describe('a session that was opened by its index', () => {
  /** 80 results of 60 KB, none of which is in memory, and a round after them. */
  async function indexed(): Promise<{ path: string; file: SessionFile }> {
    const { path, file } = await openedWith(80)
    await file.close()
    expect(existsSync(`${path}.index`)).toBe(true)
    return { path, file: await reopened(path) }
  }

  it('N1 N3 a deleted or replaced file has all of it again', async () => {
    const { path, file } = await indexed()
    rmSync(path)
    await addResults(file, 80, 81)
    expect(contents(file)).toEqual(texts(0, 81))
    expect(contents(await reopened(path, { readOnly: true }))).toEqual(texts(0, 81))
    const next = await indexed()
    renameSync((await created(join(temporaryFolder(), 'other.mtm'))).path, next.path)
    const error = await next.file.add({ type: 'cell', role: 'user', content: 'more' }).catch(String)
    const rescued = /are in (\S+\.mtm)/.exec(String(error))?.[1] ?? ''
    expect(contents(await reopened(rescued, { readOnly: true }))).toEqual(texts(0, 80))
  })

  it('N3 lines that another program deletes in place are restored', async () => {
    const { path, file } = await indexed()
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, lines.filter((line) => !line.startsWith('{"type":"step"')).join('\n'))
    await addResults(file, 80, 81)
    expect(contents(file)).toEqual(texts(0, 81))
    expect(file.news.map(({ code }) => code)).toEqual(['edits-taken'])
    expect(readFileSync(path, 'utf8')).toContain('"answer to read 0 to 80"')
  })

  it('N3 a file that is emptied in place has everything but the long texts again', async () => {
    const { path, file } = await indexed()
    truncateSync(path, 0)
    await addResults(file, 80, 81)
    const now = contents(file)
    expect(now).toHaveLength(81)
    expect(now.at(-1)).toBe(text(80))
    expect(now.filter((content) => String(content).startsWith('(the text '))).toHaveLength(80)
    expect(file.session.cells.map(({ content }) => content)).toEqual(['read 0 to 80', 'read 80 to 81'])
    expect(file.news.find(({ code }) => code === 'texts-lost')?.message).toContain('of 80 older records')
    expect(contents(await reopened(path, { readOnly: true }))).toEqual(now)
  })
})
