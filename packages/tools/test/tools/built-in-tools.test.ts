import { statSync, truncateSync, utimesSync } from 'node:fs'
import type { Json, JsonObject } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { builtInTools, createToolRunner, Workspace } from '../../src/index.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

function call(name: string, folder: TemporaryFolder, args: JsonObject, allowed = [folder.path]) {
  const runner = createToolRunner({ workspace: new Workspace({ root: folder.path }), tools: builtInTools() })
  return runner.run({ name, args }, { allowed })
}

const listingFolder = () =>
  temporaryFolder({
    'src/a.ts': '',
    'src/deep/b.ts': '',
    'README.md': '',
    'x.log': '',
    '.env': '',
    '.git/config': '',
  })

function pathsOf({ data }: { readonly data: JsonObject }): Json[] {
  return (data.entries as JsonObject[]).map((entry) => entry.path ?? null)
}

describe('LS', () => {
  test('T2 lists the workspace by default, folders first, hidden names left out', async () => {
    const result = await call('LS', listingFolder(), {})
    expect(result).toMatchObject({ status: 'success', text: '[DIR] src\n[FILE] README.md\n[FILE] x.log' })
    expect(result.data).toEqual({
      path: '.',
      entries: [
        { path: 'src', type: 'directory' },
        { path: 'README.md', type: 'file' },
        { path: 'x.log', type: 'file' },
      ],
      total: 3,
      truncated: false,
    })
  })

  test('T2 entries have paths from the workspace’s root, in any spelling of the folder', async () => {
    const folder = listingFolder()
    for (const path of ['src', './src/', folder.at('src'), 'src/deep/..', `file://${folder.at('src')}`])
      expect(pathsOf(await call('LS', folder, { path })), path).toEqual(['src/deep', 'src/a.ts'])
  })

  test('T2 include_hidden shows hidden names, ignore leaves names out as .gitignore would', async () => {
    const folder = listingFolder()
    const all = await call('LS', folder, { include_hidden: true })
    expect(pathsOf(all)).toEqual(['.git', 'src', '.env', 'README.md', 'x.log'])
    const some = await call('LS', folder, { include_hidden: true, ignore: ['*.log', '.git/', 'README.md/'] })
    expect(pathsOf(some)).toEqual(['src', '.env', 'README.md'])
    expect(some.data.total).toBe(3)
  })

  test('T2 offset and limit page through a large folder', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `f${String(index).padStart(3, '0')}`)
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, ''])))
    const first = await call('LS', folder, {})
    expect(first).toMatchObject({ status: 'partial', data: { total: 250, truncated: true } })
    expect(pathsOf(first)).toEqual(names.slice(0, 100))
    expect(first.text).toMatch(/\(100 of 250 entries; go on with offset 100\)$/)
    const last = await call('LS', folder, { offset: 100, limit: 200 })
    expect(last).toMatchObject({ status: 'success', data: { truncated: false } })
    expect(pathsOf(last)).toEqual(names.slice(100))
    const none = await call('LS', folder, { offset: 250 })
    expect(none).toMatchObject({ status: 'success', data: { entries: [], total: 250 } })
    expect(none.text).toContain('there are 250 entries')
  })

  test('T2 a pattern that would take forever is refused', async () => {
    const folder = temporaryFolder({ ['a'.repeat(200)]: '' })
    for (const pattern of ['*a*a*a*a*a*a*b', 'x'.repeat(1001)])
      expect(await call('LS', folder, { ignore: [pattern] })).toMatchObject({
        error: { code: 'INVALID_PARAM', message: 'ignore.0: has too many stars or letters' },
      })
  })

  test('T1 an endless path is not repeated in full', async () => {
    const folder = temporaryFolder()
    for (const path of ['a'.repeat(100_000), 'a/'.repeat(100_000), `http://${'a'.repeat(100_000)}`])
      for (const name of ['LS', 'Read', 'Glob', 'Grep']) {
        const { text } = await call(name, folder, { path, ...(/G/.test(name) && { pattern: 'x' }) })
        expect(text.length, name).toBeLessThan(500)
      }
  })

  test('T2 an empty folder says so', async () => {
    expect(await call('LS', temporaryFolder(), {})).toMatchObject({
      status: 'success',
      text: '(empty directory)',
    })
  })

  test('T2 if a folder cannot be listed, the error says why', async () => {
    const folder = listingFolder()
    folder.link('out', '/etc')
    folder.pipe('pipe')
    const errorOf = async (path: string) => {
      const result = await call('LS', folder, { path })
      return result.status === 'error' ? `${result.error.code} ${result.error.message}` : result.status
    }
    expect(await errorOf('nothing')).toBe('NOT_FOUND nothing: not found')
    expect(await errorOf('README.md')).toBe('INVALID_PARAM README.md: is a file; use Read')
    expect(await errorOf('out')).toBe('ACCESS_DENIED out: is outside the folders this session may read')
    expect(await errorOf('..')).toMatch(/^ACCESS_DENIED .*outside/)
    expect(await errorOf('pipe')).toMatch(/^ACCESS_DENIED pipe: .*\(a pipe\)/)
    expect(await errorOf('a\0b')).toMatch(/^INVALID_PARAM path: /)
  })

  test('T2 no file name can look like several', async () => {
    const folder = temporaryFolder({ 'a\n[FILE] b': '' })
    const result = await call('LS', folder, {})
    expect(result.text).toBe('[FILE] a\\u000a[FILE] b')
    expect(pathsOf(result)).toEqual(['a\n[FILE] b'])
    expect((await call('Read', folder, { path: 'x\ny' })).text).toBe('x\\u000ay: not found')
  })

  test('T2 only lists what the session may read', async () => {
    const folder = listingFolder()
    expect(await call('LS', folder, {}, [folder.at('src')])).toMatchObject({
      error: { code: 'ACCESS_DENIED' },
    })
    expect(pathsOf(await call('LS', folder, { path: 'src' }, [folder.at('src')]))).toEqual([
      'src/deep',
      'src/a.ts',
    ])
  })
})

describe('Read', () => {
  const lines = Array.from({ length: 1200 }, (_, index) => `text ${index + 1}`)
  const numbered = (start: number, end: number) =>
    lines
      .slice(start - 1, end)
      .map((line, index) => `${start + index}\t${line}`)
      .join('\n')

  test('T5 gives numbered lines, the length and the time of the last change', async () => {
    const folder = temporaryFolder({ 'src/a.ts': 'one\ntwo\n' })
    utimesSync(folder.at('src/a.ts'), 1000, 1000.5)
    expect(statSync(folder.at('src/a.ts')).mtimeMs).toBe(1_000_500)
    const result = await call('Read', folder, { path: './src/a.ts' })
    expect(result).toMatchObject({ status: 'success', text: '1\tone\n2\ttwo' })
    expect(result.data).toEqual({
      path: 'src/a.ts',
      content: '1\tone\n2\ttwo',
      start_line: 1,
      end_line: 2,
      total_lines: 2,
      truncated: false,
      file_mtime_ms: 1_000_500,
    })
  })

  test('T5 gives 500 lines by default, and says how to continue', async () => {
    const folder = temporaryFolder({ 'a.txt': lines.join('\n') })
    const result = await call('Read', folder, { path: 'a.txt' })
    expect(result).toMatchObject({
      status: 'partial',
      data: { truncated: true, total_lines: 1200, end_line: 500 },
    })
    expect(result.data.content).toBe(numbered(1, 500))
    expect(result.text).toBe(`go on with start_line 501\n${numbered(1, 500)}`)
  })

  test('T5 start_line and limit choose the lines; a page may reach beyond the end', async () => {
    const folder = temporaryFolder({ 'a.txt': lines.join('\r\n') })
    const middle = await call('Read', folder, { path: 'a.txt', start_line: 12, limit: 3 })
    expect(middle).toMatchObject({ status: 'partial', data: { content: numbered(12, 14), truncated: true } })
    const end = await call('Read', folder, { path: 'a.txt', start_line: 1199, limit: 2000 })
    expect(end).toMatchObject({
      status: 'success',
      data: { content: numbered(1199, 1200), truncated: false },
    })
    // As many as there may be.
    expect(await call('Read', folder, { path: 'a.txt', limit: 2001 })).toMatchObject({
      data: { end_line: 1200, truncated: false },
    })
  })

  test('T5 an empty file is fine', async () => {
    const folder = temporaryFolder({ empty: '' })
    const result = await call('Read', folder, { path: 'empty' })
    expect(result).toMatchObject({
      status: 'success',
      text: '(empty file)',
      data: { content: '', total_lines: 0, truncated: false },
    })
  })

  test('T5 a start past the end names the length', async () => {
    const folder = temporaryFolder({ 'a.txt': 'one\ntwo\n', empty: '' })
    expect(await call('Read', folder, { path: 'a.txt', start_line: 3 })).toMatchObject({
      error: { code: 'INVALID_PARAM', message: expect.stringMatching(/^a\.txt: has 2 lines;/) },
    })
    expect(await call('Read', folder, { path: 'empty', start_line: 2 })).toMatchObject({
      error: { code: 'INVALID_PARAM', message: expect.stringContaining('has 0 lines') },
    })
  })

  test('T5 a folder, a binary file, a picture and a missing file have different errors', async () => {
    const folder = temporaryFolder({ 'src/a': '', binary: 'a\0b', picture: 'GIF89a' })
    const codeOf = async (path: string) => {
      const result = await call('Read', folder, { path })
      return result.status === 'error' ? result.error.code : result.status
    }
    expect(await codeOf('src')).toBe('IS_DIRECTORY')
    expect(await codeOf('binary')).toBe('BINARY_FILE')
    expect(await codeOf('picture')).toBe('BINARY_FILE')
    expect(await codeOf('missing')).toBe('NOT_FOUND')
    expect(await codeOf('/etc/passwd')).toBe('ACCESS_DENIED')
    expect(await codeOf('https://example.org/')).toBe('INVALID_PARAM')
  })

  test('T5 UTF-16 and CRLF read like any text', async () => {
    const folder = temporaryFolder({ 'a.txt': Buffer.from('\uFEFFone\r\nzwölf 🙂\r\n', 'utf16le') })
    expect((await call('Read', folder, { path: 'a.txt' })).data).toMatchObject({
      content: '1\tone\n2\tzwölf 🙂',
      total_lines: 2,
    })
  })

  test('T5 long lines do not make a huge answer', async () => {
    const folder = temporaryFolder({
      'long.txt': `${'x'.repeat(100_000)}\n`.repeat(5),
      'one.txt': 'y'.repeat(1_000_000),
    })
    const many = await call('Read', folder, { path: 'long.txt' })
    expect(many).toMatchObject({ status: 'partial', data: { end_line: 2, total_lines: 5, truncated: true } })
    expect(many.data.notes).toEqual(['go on with start_line 3'])
    const one = await call('Read', folder, { path: 'one.txt' })
    expect(one).toMatchObject({ status: 'partial', data: { end_line: 1, total_lines: 1, truncated: true } })
    expect(one.text.length).toBeLessThan(300_000)
    expect(one.data.notes).toEqual(['only the first 262144 bytes of line 1'])
  })

  test('T5 a file too large to count is still read, without its length', async () => {
    const folder = temporaryFolder({ 'huge.txt': `${'x'.repeat(1023)}\n`.repeat(66 * 1024) })
    const result = await call('Read', folder, { path: 'huge.txt', start_line: 60_000, limit: 1 })
    expect(result).toMatchObject({
      status: 'partial',
      data: { total_lines: null, end_line: 60_000, truncated: true },
    })
    expect(await call('Read', folder, { path: 'huge.txt', start_line: 67_000 })).toMatchObject({
      error: { code: 'INVALID_PARAM', message: expect.stringContaining('only the first 67108864 bytes') },
    })
    truncateSync(folder.at('huge.txt'), 50 * 2 ** 30)
    expect((await call('Read', folder, { path: 'huge.txt' })).status).toBe('partial')
  })
})
