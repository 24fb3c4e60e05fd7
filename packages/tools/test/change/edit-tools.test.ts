import { readdirSync, utimesSync } from 'node:fs'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { linear, timesAsLongLater } from '../../../../test/support/growth.js'
import { edit } from '../../src/change/edit.js'
import { multiEdit } from '../../src/change/multi-edit.js'
import { write } from '../../src/change/write.js'
import { editDescription, multiEditDescription, writeDescription } from '../../src/prompts/descriptions.js'
import { markAsRead } from '../../src/session-memory/mark-as-read.js'
import { contentOf, errorOf, sessionIn } from '../support/editing.js'
import { limits } from '../support/reading.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const poem = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n'

async function opened(files: Parameters<typeof temporaryFolder>[0], name: string) {
  const folder = temporaryFolder(files)
  const session = sessionIn(folder)
  expect(errorOf(await session.read(name))).toMatch(/^(success|partial)$/)
  return { folder, session }
}

describe('Edit', () => {
  test('T6 replaces a text that occurs once, and shows the difference', async () => {
    const { folder, session } = await opened({ 'src/a.txt': poem }, 'src/a.txt')
    const result = await session.edit('src/a.txt', 'four', 'FOUR\nand a half')
    const diff_preview = [
      '--- a/src/a.txt',
      '+++ b/src/a.txt',
      '@@ -1,7 +1,8 @@',
      ' one',
      ' two',
      ' three',
      '-four',
      '+FOUR',
      '+and a half',
      ' five',
      ' six',
      ' seven',
    ].join('\n')
    expect(result.status).toBe('success')
    expect(result.data).toEqual({
      path: 'src/a.txt',
      changed_lines: '4-5',
      file_mtime_ms: expect.any(Number),
      applied: true,
      dry_run: false,
      created: false,
      replacements: 1,
      diff_preview,
    })
    expect(result.text).toBe(`Changed src/a.txt: 1 replacement.\n${diff_preview}`)
    expect(contentOf(folder, 'src/a.txt')).toBe(poem.replace('four', 'FOUR\nand a half'))
    expect(readdirSync(folder.at('src'))).toEqual(['a.txt'])
  })

  test('T6 line numbers of the difference are those of the file', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index + 1}`)
    const { session } = await opened({ 'a.txt': lines.join('\n') }, 'a.txt')
    const result = await session.edit('a.txt', 'line 700\n', '')
    expect(result.data.diff_preview).toContain('@@ -697,7 +697,6 @@\n line 697\n')
    const last = await session.edit('a.txt', 'line 1000', 'line 1000\nend\n')
    expect(last.data.diff_preview).toContain('@@ -996,4 +996,5 @@')
  })

  test('T6 several places are refused with their number and lines, or all replaced', async () => {
    const { folder, session } = await opened({ 'a.txt': 'x\ny\nx\nx x\n' }, 'a.txt')
    expect(errorOf(await session.edit('a.txt', 'x', 'z'))).toBe(
      'INVALID_PARAM a.txt: old_string was found 4 times (lines 1, 3, 4, 4); give more of the text around the one you mean, or set replace_all',
    )
    expect(contentOf(folder, 'a.txt')).toBe('x\ny\nx\nx x\n')
    const all = await session.edit('a.txt', 'x', 'z', { replace_all: true })
    expect(all.data).toMatchObject({ applied: true, replacements: 4 })
    expect(contentOf(folder, 'a.txt')).toBe('z\ny\nz\nz z\n')
  })

  test('T6 overlapping matches count as several', async () => {
    const { session } = await opened({ 'a.txt': 'aaa' }, 'a.txt')
    expect(errorOf(await session.edit('a.txt', 'aa', 'b'))).toMatch(/found 2 times/)
  })

  test('T6 dry_run shows the difference and writes nothing', async () => {
    const { folder, session } = await opened({ 'a.txt': poem }, 'a.txt')
    const result = await session.edit('a.txt', 'four', 'FOUR', { dry_run: true })
    expect(result).toMatchObject({
      status: 'partial',
      data: { applied: false, dry_run: true, replacements: 1 },
    })
    expect(result.data.diff_preview).toContain('\n-four\n+FOUR\n')
    expect(result.text).toMatch(/^Dry run, nothing was written\./)
    expect(contentOf(folder, 'a.txt')).toBe(poem)
    expect(errorOf(await session.edit('a.txt', 'four', 'FOUR'))).toBe('success')
  })

  test('T6 new_string is inserted as plain text, whatever it looks like', async () => {
    const { folder, session } = await opened({ 'a.txt': 'a.c abc' }, 'a.txt')
    await session.edit('a.txt', 'a.c', "$& $1 $' \\n")
    expect(contentOf(folder, 'a.txt')).toBe("$& $1 $' \\n abc")
  })

  test('T6 half a character and a NUL are refused', async () => {
    const { folder, session } = await opened({ 'a.txt': 'x 🙂' }, 'a.txt')
    const refusal = /^INVALID_PARAM .*: must be text without NUL and without half characters$/
    expect(errorOf(await session.edit('a.txt', '\uD83D', 'x'))).toMatch(refusal)
    expect(errorOf(await session.edit('a.txt', 'x', '\0'))).toMatch(refusal)
    expect(errorOf(await session.write('a.txt', '\uDE42'))).toMatch(refusal)
    expect(contentOf(folder, 'a.txt')).toBe('x 🙂')
  })

  test('T6 nothing to change, an empty old_string and a missing file are refused', async () => {
    const { session } = await opened({ 'a.txt': 'x\r\ny\r\n' }, 'a.txt')
    expect(errorOf(await session.edit('a.txt', 'x\n', 'x\r\n'))).toMatch(/^INVALID_PARAM .* are the same$/)
    expect(errorOf(await session.edit('a.txt', '', 'x'))).toMatch(/^INVALID_PARAM old_string: .*use Write/)
    expect(errorOf(await session.edit('b.txt', 'x', 'y'))).toBe(
      'NOT_FOUND b.txt: not found; use Write to create it',
    )
    expect(errorOf(await session.edit('https://x.org', 'x', 'y'))).toMatch(/^INVALID_PARAM path: /)
  })
})

describe('a text that is not found', () => {
  const code = 'function one() {\n\treturn 1\n}\n\nfunction two() {\n\treturn 2\n}\n'
  test.for([
    [
      'tabs and spaces',
      '    return 2',
      'line 6 differs only in white space (tabs and spaces): the file has "\\treturn 2", old_string has "    return 2"',
    ],
    ['indentation', '\t\treturn 2', 'line 6 differs only in white space (its indentation)'],
    [
      'white space at the end',
      'function two() { \n\treturn 2',
      'the nearest is at line 5; line 5 differs only in white space (at its end)',
    ],
    ['white space within', 'function  two() {', 'line 5 differs only in white space (within the line)'],
    [
      'another word',
      'function two() {\n\treturn 3\n}',
      'the nearest is at line 5; line 6 differs: the file has "\\treturn 2", old_string has "\\treturn 3"',
    ],
    [
      'letters alike',
      'function tow() {',
      'the nearest is at line 5; line 5 differs: the file has "function two() {"',
    ],
    [
      'beyond the end',
      'function two() {\n\treturn 2\n}\n\n// end',
      'the nearest is at line 5, but old_string continues after the end of the file',
    ],
    ['line numbers', '    5\tfunction two() {\n    6\t\treturn 2', 'leave out the line numbers'],
    ['nothing alike', 'zzz qqq', 'nothing in the file is similar'],
  ])('T6 the error shows the nearest match: %s', async ([, wanted, hint]) => {
    const { folder, session } = await opened({ 'a.ts': code }, 'a.ts')
    const error = errorOf(await session.edit('a.ts', wanted ?? '', 'x'))
    expect(error).toMatch(/^INVALID_PARAM a\.ts: old_string was not found; /)
    expect(error).toContain(hint ?? '')
    expect(contentOf(folder, 'a.ts')).toBe(code)
  })

  test('T6 for a long line, the part around the difference is shown', async () => {
    const line = `${'x'.repeat(500)} here ${'y'.repeat(500)}`
    const { session } = await opened({ 'a.txt': line }, 'a.txt')
    const error = errorOf(await session.edit('a.txt', line.replace('here', 'there'), 'x'))
    expect(error).toMatch(/the file has …"x+ here y+"…, old_string has …"x+ there y+"…$/)
    expect(error.length).toBeLessThan(400)
  })

  test('T6 in a megabyte the hint takes linear time', async () => {
    const hintIn = async (lines: number) => {
      const folder = temporaryFolder({ 'a.txt': 'some line of a file\n'.repeat(lines) })
      const session = sessionIn(folder)
      await session.read('a.txt')
      const wanted = 'sum lines of the file\n'.repeat(lines / 500)
      return async () => expect(errorOf(await session.edit('a.txt', wanted, 'x'))).toMatch(/nearest/)
    }
    const times = await timesAsLongLater(await hintIn(51_000), await hintIn(1700))
    expect(times).toBeLessThan(linear)
  })
})

describe('MultiEdit', () => {
  test('T6 each edit sees the result of the one before', async () => {
    const { folder, session } = await opened({ 'a.txt': 'a b\n' }, 'a.txt')
    const result = await session.multiEdit('a.txt', [
      { old_string: 'a', new_string: 'c' },
      { old_string: 'c b', new_string: 'd d' },
      { old_string: 'd', new_string: 'e', replace_all: true },
    ])
    expect(result.data).toMatchObject({ path: 'a.txt', applied: true, replacements: 4 })
    expect(contentOf(folder, 'a.txt')).toBe('e e\n')
  })

  test('T6 either all edits are applied or none, and the failing one is named', async () => {
    const { folder, session } = await opened({ 'a.txt': 'a b\n' }, 'a.txt')
    const edits = [
      { old_string: 'a', new_string: 'c' },
      { old_string: 'a', new_string: 'd' },
    ]
    expect(errorOf(await session.multiEdit('a.txt', edits))).toMatch(
      /^INVALID_PARAM a\.txt: edit 2 of 2: old_string was not found; /,
    )
    expect(contentOf(folder, 'a.txt')).toBe('a b\n')
    expect(errorOf(await session.multiEdit('a.txt', []))).toMatch(/^INVALID_PARAM edits: /)
    expect(await session.multiEdit('a.txt', edits.slice(0, 1), { dry_run: true })).toMatchObject({
      status: 'partial',
      data: { applied: false },
    })
  })
})

describe('Write', () => {
  test('T6 creates a file and the folders it needs', async () => {
    const folder = temporaryFolder()
    const result = await sessionIn(folder).write('deep/er/a.txt', 'one\ntwo\n')
    expect(result).toMatchObject({
      status: 'success',
      text: 'Created deep/er/a.txt: 2 lines.',
      data: { path: 'deep/er/a.txt', applied: true, created: true, replacements: 0 },
    })
    expect(result.data.diff_preview).toBe(
      '--- a/deep/er/a.txt\n+++ b/deep/er/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two',
    )
    expect(contentOf(folder, 'deep/er/a.txt')).toBe('one\ntwo\n')
  })

  test('T6 a file that it wrote counts as read: it can be edited and written again', async () => {
    const folder = temporaryFolder()
    const session = sessionIn(folder)
    await session.write('a.txt', 'one\n')
    expect(errorOf(await session.edit('a.txt', 'one', 'two'))).toBe('success')
    expect(await session.write('a.txt', 'three\n')).toMatchObject({
      status: 'success',
      data: { created: false, replacements: 1, diff_preview: expect.stringContaining('-two\n+three') },
    })
    expect(contentOf(folder, 'a.txt')).toBe('three\n')
  })

  test('T6 a byte order mark is not written twice', async () => {
    const { folder, session } = await opened({ 'a.txt': '\uFEFFx\n' }, 'a.txt')
    await session.write('a.txt', '\uFEFFy\n')
    expect(contentOf(folder, 'a.txt')).toBe('\uFEFFy\n')
    await session.write('a.txt', 'z\n')
    expect(contentOf(folder, 'a.txt')).toBe('\uFEFFz\n')
  })

  test('T6 a dry run makes neither file nor folder', async () => {
    const folder = temporaryFolder()
    expect(await sessionIn(folder).write('deep/a.txt', 'x', { dry_run: true })).toMatchObject({
      status: 'partial',
      data: { applied: false, created: true },
    })
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('T6 an endless difference is cut', async () => {
    const folder = temporaryFolder()
    const session = sessionIn(folder)
    const text = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join('')
    await session.write('a.txt', text('one'))
    const { data } = await session.write('a.txt', text('two'))
    expect(data.diff_preview).toMatch(/\n… \(\d+ more lines\)$/)
    expect(String(data.diff_preview).length).toBeLessThan(7000)
  })

  test('T6 a file that is not text is refused', async () => {
    const folder = temporaryFolder({ 'sub/a': '', binary: 'a\0b', picture: 'GIF89a' })
    folder.pipe('pipe')
    const session = sessionIn(folder)
    expect(errorOf(await session.write('sub', 'x'))).toBe('IS_DIRECTORY sub: is a directory')
    expect(errorOf(await session.write('binary', 'x'))).toBe('BINARY_FILE binary: is a binary file')
    expect(errorOf(await session.write('picture', 'x'))).toBe('BINARY_FILE picture: is a binary file')
    expect(errorOf(await session.write('pipe', 'x'))).toMatch(/^ACCESS_DENIED pipe: .*\(a pipe\)/)
    expect(errorOf(await session.write('sub/a/b', 'x'))).toBe(
      'INVALID_PARAM sub/a/b: is below something that is not a folder',
    )
    expect(errorOf(await session.write('/etc/mutsumi-test', 'x'))).toMatch(/^ACCESS_DENIED .*outside/)
    expect(errorOf(await session.write('../x', 'x'))).toMatch(/^ACCESS_DENIED .*outside/)
  })
})

describe('freshness', () => {
  test('T6 an existing file must have been read', async () => {
    const folder = temporaryFolder({ 'a.txt': 'x' })
    const session = sessionIn(folder)
    const unread = 'INVALID_PARAM a.txt: read it first'
    expect(errorOf(await session.write('a.txt', 'y'))).toBe(unread)
    expect(errorOf(await session.edit('a.txt', 'x', 'y'))).toBe(unread)
    expect(errorOf(await session.multiEdit('a.txt', [{ old_string: 'x', new_string: 'y' }]))).toBe(unread)
    expect(contentOf(folder, 'a.txt')).toBe('x')
  })

  test('T6 a file that was changed since is a conflict, until it is read again', async () => {
    const { folder, session } = await opened({ 'a.txt': 'x' }, 'a.txt')
    folder.write({ 'a.txt': 'z' })
    const conflict = 'CONFLICT a.txt: has changed since it was read; read it again'
    expect(errorOf(await session.edit('a.txt', 'z', 'y'))).toBe(conflict)
    expect(errorOf(await session.write('a.txt', 'y'))).toBe(conflict)
    expect(contentOf(folder, 'a.txt')).toBe('z')
    await session.read('a.txt')
    expect(errorOf(await session.edit('a.txt', 'z', 'y'))).toBe('success')
  })

  test('T6 if two sessions edit at once, one wins and the other gets a conflict', async () => {
    const { folder, session } = await opened({ 'a.txt': 'x' }, 'a.txt')
    const other = sessionIn(folder)
    await other.read('a.txt')
    const results = await Promise.all([session.edit('a.txt', 'x', 'one'), other.edit('a.txt', 'x', 'two')])
    expect(results.map((result) => errorOf(result).split(' ')[0]).sort()).toEqual(['CONFLICT', 'success'])
    expect(contentOf(folder, 'a.txt')).toBe(results[0]?.status === 'success' ? 'one' : 'two')
  })

  test('T6 a new modification time alone, and the session’s own writes, do not count as outside changes', async () => {
    const { folder, session } = await opened({ 'a.txt': 'x' }, 'a.txt')
    utimesSync(folder.at('a.txt'), 1000, 1000)
    expect(errorOf(await session.edit('a.txt', 'x', 'y'))).toBe('success')
    expect(errorOf(await session.edit('a.txt', 'y', 'z'))).toBe('success')
  })

  test('T6 reading through a link counts as reading the file, and vice versa', async () => {
    const folder = temporaryFolder({ 'a.txt': 'x' })
    folder.link('link', 'a.txt')
    const session = sessionIn(folder)
    await session.read('link')
    expect(errorOf(await session.edit('a.txt', 'x', 'y'))).toBe('success')
    expect(errorOf(await session.edit('link', 'y', 'z'))).toBe('success')
    expect(contentOf(folder, 'a.txt')).toBe('z')
  })

  test('T6 an item that shows a file counts as read, if the file has not changed since', () => {
    const folder = temporaryFolder({ 'a.txt': '\uFEFFx\r\ny\n', binary: '\0' })
    const { workspace, allowed, memory } = sessionIn(folder)
    const request = { workspace, allowed, files: memory.files }
    const reading = workspace.read(folder.at('a.txt'), { ...limits, allowed })
    if (reading.kind !== 'file') expect.fail(reading.kind)
    expect(markAsRead(folder.at('missing'), request)).toBe(false)
    expect(markAsRead('/etc/passwd', request)).toBe(false)
    expect(markAsRead(folder.at('a.txt'), { ...request, reading })).toBe(true)
    expect(memory.files.lastSeen(folder.at('a.txt'))).toMatchObject({ size: 8 })
    memory.files.forget(folder.at('a.txt'))
    folder.write({ 'a.txt': '\uFEFFx\r\nz\n' })
    expect(markAsRead(folder.at('a.txt'), { ...request, reading })).toBe(false)
    expect(memory.files.lastSeen(folder.at('a.txt'))).toBeUndefined()
  })

  test('T6 a marked file can be edited without Read', async () => {
    const folder = temporaryFolder({ 'a.txt': 'x' })
    const session = sessionIn(folder)
    const { workspace, allowed, memory } = session
    markAsRead(folder.at('a.txt'), { workspace, allowed, files: memory.files })
    expect(errorOf(await session.edit('a.txt', 'x', 'y'))).toBe('success')
  })

  test('F3 reading again after an outside change reports the change, once', async () => {
    const { folder, session } = await opened({ 'src/a.txt': 'x' }, 'src/a.txt')
    expect((await session.read('src/a.txt')).data).not.toHaveProperty('modified_externally')
    folder.write({ 'src/a.txt': 'y' })
    const again = await session.read('src/a.txt')
    expect(again.data.modified_externally).toBe(true)
    expect(again.text).toBe('Note: src/a.txt was modified externally.\n1\ty')
    expect((await session.read('src/a.txt')).data).not.toHaveProperty('modified_externally')
  })

  test('F3 the session’s own edits are not reported; another session’s are', async () => {
    const { folder, session } = await opened({ 'a.txt': 'x' }, 'a.txt')
    const other = sessionIn(folder)
    await other.read('a.txt')
    await session.edit('a.txt', 'x', 'y')
    await session.write('a.txt', 'z')
    expect((await session.read('a.txt')).data).not.toHaveProperty('modified_externally')
    expect((await other.read('a.txt')).data.modified_externally).toBe(true)
  })

  test('F3 an outside change between two own edits is still reported', async () => {
    const { folder, session } = await opened({ 'a.txt': 'x' }, 'a.txt')
    await session.edit('a.txt', 'x', 'y')
    folder.write({ 'a.txt': 'outside' })
    expect(errorOf(await session.edit('a.txt', 'outside', 'z'))).toMatch(/^CONFLICT/)
    expect((await session.read('a.txt', { start_line: 1, limit: 1 })).text).toMatch(
      /^Note: a\.txt was modified/,
    )
  })
})

describe('the path that the host gets', () => {
  test('A8 a call names the path that it accesses', () => {
    const path = '../x'
    expect(write.touches({ path, content: '' })).toEqual({ paths: [path] })
    expect(edit.touches({ path, old_string: 'a', new_string: '' })).toEqual({ paths: [path] })
    expect(multiEdit.touches({ path, edits: [{ old_string: 'a', new_string: '' }] })).toEqual({
      paths: [path],
    })
    expect(write.touches({ path })).toBeUndefined()
    expect([write.effect, edit.effect, multiEdit.effect]).toEqual(['write', 'write', 'write'])
  })

  test('T6 each prompt is short', () => {
    for (const { name, prompt } of [writeDescription, editDescription, multiEditDescription]) {
      expect(prompt).toMatch(new RegExp(`^${name}: `))
      expect(encode(prompt).length, name).toBeLessThanOrEqual(80)
    }
  })
})
