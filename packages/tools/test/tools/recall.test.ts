import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { JsonObject } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createToolRunner, hashText, Workspace } from '../../src/index.js'
import { ObservationStore } from '../../src/session-memory/observation-store.js'
import { createSessionMemory } from '../../src/session-memory/session-memory.js'
import { recall } from '../../src/tools/recall.js'
import { temporaryFolder } from '../support/temporary-folder.js'

describe('the observation store', () => {
  test('T9 keeps a text by the hash of its content, as a file that only the user can read', () => {
    const folder = temporaryFolder().at('deep/observations')
    const id = new ObservationStore(folder).keep('a long result\n')
    expect(id).toBe(hashText('a long result\n').slice(0, 16))
    expect(readdirSync(folder)).toEqual([`${id}.txt`])
    expect(readFileSync(`${folder}/${id}.txt`, 'utf8')).toBe('a long result\n')
    expect([statSync(folder).mode & 0o777, statSync(`${folder}/${id}.txt`).mode & 0o777]).toEqual([
      0o700, 0o600,
    ])
  })

  test('T9 another process finds it, and one text is one file', () => {
    const folder = temporaryFolder().at('observations')
    const store = new ObservationStore(folder)
    const ids = [store.keep('one'), store.keep('two'), store.keep('one')]
    expect(ids[2]).toBe(ids[0])
    expect(readdirSync(folder)).toHaveLength(2)
    expect(ids.map((id) => new ObservationStore(folder).find(id))).toEqual(['one', 'two', 'one'])
  })

  test('T9 gives back any text as it was', () => {
    const folder = temporaryFolder().at('observations')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
        const store = new ObservationStore(folder)
        expect(store.find(store.keep(text))).toBe(text)
      }),
      { numRuns: 50 },
    )
  })

  test('T9 without a folder it lives as long as the process', () => {
    const store = new ObservationStore()
    const id = store.keep('one')
    expect(store.find(id)).toBe('one')
    expect(new ObservationStore().find(id)).toBeUndefined()
  })

  test('T9 a text that cannot be stored is kept in memory, and nothing throws', () => {
    const folder = temporaryFolder({ file: '' })
    const store = new ObservationStore(folder.at('file/observations'))
    expect(store.find(store.keep('one'))).toBe('one')
    mkdirSync(folder.at('taken'))
    const id = hashText('two').slice(0, 16)
    // A folder of the file's name: the rename fails after the text was written.
    mkdirSync(folder.at(`taken/${id}.txt/x`), { recursive: true })
    const other = new ObservationStore(folder.at('taken'))
    expect(other.find(other.keep('two'))).toBe('two')
    expect(readdirSync(folder.at('taken'))).toEqual([`${id}.txt`])
  })

  test.skipIf(process.getuid?.() === 0)('T9 a read-only folder is not a failure', () => {
    const folder = temporaryFolder()
    chmodSync(folder.path, 0o500)
    const store = new ObservationStore(folder.path)
    expect(store.find(store.keep('one'))).toBe('one')
    chmodSync(folder.path, 0o700)
  })

  test('T9 its memory is limited: the oldest text is dropped first', () => {
    const store = new ObservationStore(undefined, { memoryLimit: 10 })
    const ids = ['aaaa', 'bbbb', 'cccc'].map((text) => store.keep(text))
    expect(ids.map((id) => store.find(id))).toEqual([undefined, 'bbbb', 'cccc'])
    expect(store.find(store.keep('x'.repeat(11)))).toBeUndefined()
    expect(store.find(store.keep('dddd'))).toBe('dddd')
  })

  test('T9 no id leads out of the folder, and a file with wrong content is not returned', () => {
    const folder = temporaryFolder({ 'secret.txt': 'secret', 'observations/x.txt': 'x' })
    const store = new ObservationStore(folder.at('observations'))
    const id = store.keep('one')
    for (const bad of ['../secret', 'x', '', '/etc/passwd', `${id}\0`, `${id}/../x`, id.toUpperCase(), '..'])
      expect(store.find(bad), bad).toBe(bad === id ? 'one' : undefined)
    writeFileSync(folder.at(`observations/${id}.txt`), 'forged')
    expect(store.find(id)).toBeUndefined()
    rmSync(folder.at(`observations/${id}.txt`))
    folder.pipe(`observations/${id}.txt`)
    expect(store.find(id)).toBeUndefined()
    store.keep('one')
    expect(store.find(id)).toBe('one')
  })
})

describe('Recall', () => {
  function recallOf(text: string) {
    const folder = temporaryFolder()
    const memory = createSessionMemory({ folder: folder.at('observations') })
    const id = memory.observations.keep(text)
    const workspace = new Workspace({ root: folder.path })
    const runner = createToolRunner({ workspace, tools: [recall], memory })
    return (args: JsonObject = {}) =>
      runner.run({ name: 'Recall', args: { id, ...args } }, { allowed: [folder.path] })
  }

  test('T9 returns a kept result, numbered like Read', async () => {
    const result = await recallOf('one\r\ntwo\n')()
    expect(result).toMatchObject({ status: 'success', text: '1\tone\n2\ttwo' })
    expect(result.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      content: '1\tone\n2\ttwo',
      start_line: 1,
      end_line: 2,
      total_lines: 2,
      truncated: false,
    })
  })

  test('T9 gives 500 lines by default and says how to continue', async () => {
    const call = recallOf(Array.from({ length: 700 }, (_, index) => `line ${index + 1}`).join('\n'))
    const first = await call()
    expect(first).toMatchObject({
      status: 'partial',
      data: { end_line: 500, total_lines: 700, truncated: true },
    })
    expect(first.text).toMatch(/^go on with start_line 501\n1\tline 1\n(?:.*\n)*500\tline 500$/)
    const rest = await call({ start_line: 501 })
    expect(rest).toMatchObject({
      status: 'success',
      data: { start_line: 501, end_line: 700, truncated: false },
    })
    expect((await call({ start_line: 3, limit: 1 })).data.content).toBe('3\tline 3')
    expect(await call({ start_line: 701 })).toMatchObject({
      error: { code: 'INVALID_PARAM', message: 'start_line: the result has 700 lines' },
    })
  })

  test('T9 no call returns more than a page, whatever the length of the lines', async () => {
    const many = await recallOf(`${'x'.repeat(100_000)}\n`.repeat(5))()
    expect(many).toMatchObject({ status: 'partial', data: { end_line: 2, total_lines: 5 } })
    const one = await recallOf('x'.repeat(1_000_000))()
    expect(one).toMatchObject({ status: 'partial', data: { end_line: 1, total_lines: 1, truncated: true } })
    expect(one.data.notes).toEqual(['only the first 262144 characters of line 1'])
    expect(one.text.length).toBeLessThan(263_000)
    // A page that would end within a character ends before it.
    expect((await recallOf(`x${'😀'.repeat(200_000)}`)()).data.content).toMatch(/^1\tx(😀)+$/u)
    expect((await recallOf('😀'.repeat(200_000))()).data.content).toMatch(/^1\t(😀)+$/u)
  })

  test('T9 an empty result is returned, an unknown one is not found', async () => {
    expect(await recallOf('')()).toMatchObject({ status: 'success', text: '(empty result)' })
    for (const id of ['0123456789abcdef', '../../etc/passwd', 'x'])
      expect(await recallOf('one')({ id }), id).toMatchObject({
        status: 'error',
        error: { code: 'NOT_FOUND' },
      })
  })
})
