import type { ReadFaultCode } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOfLater, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { TextLines } from '../../src/text/lines.js'
import { resolvePath } from '../../src/text/path.js'
import {
  assemble,
  assembled,
  assemblerOf,
  collect,
  collectContents,
  macrosOf,
  placeInSource,
  readerWithFaults,
} from '../support/assembly.js'
import { ContextAssembler, ContextEngine, canonicalKey, parseReference } from '../support/engine.js'
import { MemoryWorkspace, png, portsOf } from '../support/memory-workspace.js'
import { oneToolOfEach } from '../support/named-tools.js'

const tenLines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')

describe('forms of references', () => {
  test('R1 a file', async () => {
    const { items } = await collect('look at @[src/a.ts] please', { 'src/a.ts': 'export const a = 1\n' })
    expect(items).toMatchObject([{ type: 'file', key: 'src/a.ts', content: 'export const a = 1\n' }])
  })

  test('R1 one line and some lines, counted from 1, both ends included', async () => {
    expect(
      await collectContents('@[a.ts:3] @[a.ts:2:4] @[a.ts:10] @[a.ts:1:10]', { 'a.ts': tenLines }),
    ).toEqual({
      'a.ts:3': 'line 3',
      'a.ts:2:4': 'line 2\nline 3\nline 4',
      'a.ts:10': 'line 10',
      'a.ts:1:10': tenLines.trimEnd(),
    })
  })

  test('R1 lines of a file with CRLF', async () => {
    const files = { 'a.ts': 'one\r\ntwo\r\nthree' }
    expect(await collectContents('@[a.ts:1] @[a.ts:1:2] @[a.ts:3]', files)).toEqual({
      'a.ts:1': 'one',
      'a.ts:1:2': 'one\r\ntwo',
      'a.ts:3': 'three',
    })
  })

  test('R1 an absolute path', async () => {
    expect(await collectContents('@[/ws/src/a.ts]', { 'src/a.ts': 'a' })).toEqual({ 'src/a.ts': 'a' })
  })

  test('R1 a folder', async () => {
    expect(await collectContents('@[src]', { 'src/a.ts': 'a' })).toEqual({ src: '[FILE] a.ts' })
  })

  test('R1 a tool call', async () => {
    const { items } = await collect('@[Echo{"text":"hi","n":1}]', {}, { tools: oneToolOfEach() })
    expect(items).toMatchObject([
      { type: 'tool', content: 'hi', metadata: { tool: { name: 'Echo', args: { text: 'hi', n: 1 } } } },
    ])
  })

  test('R1 a glob adds every file that matches, sorted', async () => {
    const files = { 'src/b.ts': 'b', 'src/deep/a.ts': 'a', 'src/c.md': 'c', 'd.ts': 'd' }
    expect(Object.keys(await collectContents('@[src/**/*.ts]', files))).toEqual(['src/b.ts', 'src/deep/a.ts'])
  })

  test('R1 a glob adds 50 files and says how many more there are', async () => {
    const files = Object.fromEntries(Array.from({ length: 53 }, (_, index) => [`src/${index + 10}.ts`, 'x']))
    const { items, warnings } = await collect('@[src/*.ts]', files)
    expect(items).toHaveLength(51)
    expect(items.slice(0, 50).map(({ key }) => key)).toEqual(Object.keys(files).slice(0, 50))
    expect(items[50]).toMatchObject({
      key: 'src/*.ts',
      content: '> 3 more files match src/*.ts; narrow the pattern to see them',
      metadata: { truncated: true },
    })
    expect(warnings.map(placeInSource)).toEqual(['glob-limit prompt:1:1'])
  })

  test('R1 a glob in a document shows each file under its name', async () => {
    const files = { 'src/a.ts': 'a\n', 'src/b.md': 'b {{X}}', 'src/c.ts': 'c' }
    const options = { macros: macrosOf({ X: 'x' }), limits: { globFiles: 2 } }
    const { content, warnings } = await assemble('@[src/*]', files, options)
    expect(content).toBe(
      '==> src/a.ts <==\na\n\n==> src/b.md <==\nb x\n> 1 more file matches src/*; narrow the pattern to see them',
    )
    expect(warnings.map(({ code }) => code)).toEqual(['glob-limit'])
  })

  test('R1 a glob that matches nothing is an error', async () => {
    expect(await collectContents('@[src/*.py]', { 'src/a.ts': 'a' })).toEqual({
      'src/*.py': '> Error including src/*.py: no file matches',
    })
  })

  test('R1 a glob has no lines', async () => {
    expect(await collectContents('@[src/*.ts:1]', { 'src/a.ts': 'a' })).toEqual({
      'src/*.ts:1':
        '> Error including src/*.ts:1: a pattern cannot have a line range; write @[src/*.ts] for all matching files, or name one file for its lines',
    })
  })

  test('R1 a file whose name looks like a glob is a file', async () => {
    expect(await collectContents('@[a*.ts]', { 'a*.ts': 'star', 'ab.ts': 'b' })).toEqual({ 'a*.ts': 'star' })
  })

  test('R1 an image becomes a picture, not a text', async () => {
    const { items, warnings } = await collect('@[shot.png]', { 'shot.png': png })
    expect(items).toMatchObject([{ type: 'file', key: 'shot.png', content: '' }])
    expect(items[0]?.metadata.image?.url).toBe(`data:image/png;base64,${Buffer.from(png).toString('base64')}`)
    expect(warnings).toEqual([])
  })

  test('R1 spaces around the reference do not matter', async () => {
    expect(await collectContents('@[ a.ts ] @[\ta.ts:1\t]', { 'a.ts': 'a' })).toEqual({
      'a.ts': 'a',
      'a.ts:1': 'a',
    })
  })

  test('R1 references in fenced code or in an inactive branch of a prompt do not count', async () => {
    const prompt = '```\n@[a.ts]\n```\n@{ifdef NO}\n@[b.ts]\n@{else}\n@[c.ts]\n@{endif}\n'
    expect(await collectContents(prompt, { 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' })).toEqual({ 'c.ts': 'c' })
  })
})

describe('ranges', () => {
  test('R3 parseReference treats only a trailing :n or :n:m as a range', () => {
    const read = (content: string) => {
      const reference = parseReference(content)
      return reference.kind === 'path' ? [reference.path, reference.range] : reference
    }
    expect(read('a.ts')).toEqual(['a.ts', undefined])
    expect(read('a.ts:10')).toEqual(['a.ts', { start: 10, end: 10 }])
    expect(read('a.ts:10:20')).toEqual(['a.ts', { start: 10, end: 20 }])
    expect(read('12:30 notes.md')).toEqual(['12:30 notes.md', undefined])
    expect(read('a:b.ts')).toEqual(['a:b.ts', undefined])
    expect(read('a:b.ts:7')).toEqual(['a:b.ts', { start: 7, end: 7 }])
    expect(read('a:1:2:3')).toEqual(['a:1', { start: 2, end: 3 }])
    expect(read('a.ts:10-20')).toEqual(['a.ts:10-20', undefined])
    expect(read('a.ts:')).toEqual(['a.ts:', undefined])
    expect(read(':10')).toEqual([':10', undefined])
    expect(read('a.ts:-1')).toEqual(['a.ts:-1', undefined])
    expect(read('C:x')).toEqual(['C:x', undefined])
    expect(read('a.ts:99999999999999999999')).toEqual(['a.ts:99999999999999999999', undefined])
  })

  test('R3 names with colons work, with and without a range', async () => {
    const files = { 'log 12:30.txt': 'a\nb\n', 'std::vec.ts': 'v1\nv2\n' }
    expect(await collectContents('@[log 12:30.txt] @[std::vec.ts:2] @[log 12:30.txt:1]', files)).toEqual({
      'log 12:30.txt': 'a\nb\n',
      'std::vec.ts:2': 'v2',
      'log 12:30.txt:1': 'a',
    })
  })

  test('R3 file: addresses work, with escapes and with a range', async () => {
    const files = { 'a b.ts': 'one\ntwo\n', '中.ts': 'three' }
    expect(
      await collectContents(
        '@[file:///ws/a%20b.ts] @[file:///ws/a%20b.ts:2] @[file://localhost/ws/%E4%B8%AD.ts]',
        files,
      ),
    ).toEqual({ 'a b.ts': 'one\ntwo\n', 'a b.ts:2': 'two', '中.ts': 'three' })
  })

  test('R3 a malformed file: address and other addresses are errors', async () => {
    const contents = await collectContents('@[file:///ws/%zz] @[file://server/x] @[https://example.com:80]')
    expect(Object.values(contents)).toEqual([
      '> Error including file:///ws/%zz: the file: address is malformed; write file:///path, with %25 for a percent sign and no other machine',
      '> Error including file://server/x: the file: address is malformed; write file:///path, with %25 for a percent sign and no other machine',
      '> Error including https://example.com:80: https: addresses cannot be included, only files',
    ])
  })

  test('R3 a range outside the file is an error that names the length of the file', async () => {
    const files = { 'a.ts': tenLines, 'one.ts': 'only', 'none.ts': '' }
    const prompt = '@[a.ts:11] @[a.ts:11:12] @[a.ts:500:600] @[one.ts:2] @[none.ts:1]'
    const { items, warnings } = await collect(prompt, files)
    expect(items.map(({ content }) => content)).toEqual([
      '> Error including a.ts:11: the file has 10 lines; line 11 cannot be shown',
      '> Error including a.ts:11:12: the file has 10 lines; lines 11 to 12 cannot be shown',
      '> Error including a.ts:500:600: the file has 10 lines; lines 500 to 600 cannot be shown',
      '> Error including one.ts:2: the file has 1 line; line 2 cannot be shown',
      '> Error including none.ts:1: the file has 0 lines; line 1 cannot be shown',
    ])
    expect(items.every(({ metadata }) => metadata.error)).toBe(true)
    expect(warnings).toHaveLength(5)
  })

  test('R3 a range that goes past the end gives the existing lines, with a note', async () => {
    const { items, warnings } = await collect('@[a.ts:9:99] @[one.ts:1:2]', {
      'a.ts': tenLines,
      'one.ts': 'only',
    })
    expect(items.map(({ key, content }) => [key, content])).toEqual([
      ['a.ts:9:99', 'line 9\nline 10\n> The file has 10 lines; lines 9 to 99 were asked for.'],
      ['one.ts:1:2', 'only\n> The file has 1 line; lines 1 to 2 were asked for.'],
    ])
    expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'short-range a.ts:9:99: The file has 10 lines; lines 9 to 99 were asked for.',
      'short-range one.ts:1:2: The file has 1 line; lines 1 to 2 were asked for.',
    ])
  })

  test('R3 for line numbers in other notations, and for names in the wrong letter case, the error gives the right spelling', async () => {
    const files = { 'a.txt': 'one\ntwo\nthree', 'src/Main.ts': '', 'src/parser.ts': '' }
    const prompt =
      '@[a.txt:2-3] @[a.txt:2..3] @[a.txt#L2-L3] @[a.txt#L2] @[A.TXT] @[Src/main.ts:1] @[src/praser.ts] @[src/other.ts] @[b.txt:2-3]'
    expect(Object.values(await collectContents(prompt, files))).toEqual([
      '> Error including a.txt:2-3: not found; for these lines, write @[a.txt:2:3]',
      '> Error including a.txt:2..3: not found; for these lines, write @[a.txt:2:3]',
      '> Error including a.txt#L2-L3: not found; for these lines, write @[a.txt:2:3]',
      '> Error including a.txt#L2: not found; for these lines, write @[a.txt:2]',
      '> Error including A.TXT: not found; did you mean @[a.txt]?',
      expect.stringMatching(/; did you mean @\[src\/Main\.ts:1\]\?$/),
      '> Error including src/praser.ts: not found; did you mean @[src/parser.ts]?',
      '> Error including src/other.ts: not found',
      '> Error including b.txt:2-3: not found',
    ])
  })

  test('R3 line 0 and a range that ends before it starts are errors', async () => {
    const contents = await collectContents('@[a.ts:0] @[a.ts:0:5] @[a.ts:7:3]', { 'a.ts': tenLines })
    expect(Object.values(contents)).toEqual([
      '> Error including a.ts:0: line numbers start at 1',
      '> Error including a.ts:0:5: line numbers start at 1',
      '> Error including a.ts:7:3: the range ends (3) before it starts (7)',
    ])
  })

  test('R3 folders and pictures have no lines', async () => {
    const contents = await collectContents('@[src:1] @[a.png:2]', { 'src/x.ts': '', 'a.png': png })
    expect(Object.values(contents)).toEqual([
      '> Error including src:1: is a folder; it has no lines',
      '> Error including a.png:2: is an image; it has no lines',
    ])
  })

  test('R3 if the file of a range does not exist, the error says how to name a file with a colon', async () => {
    const files = { 'log:12': 'in a file with a colon' }
    const [error] = Object.values(await collectContents('@[log:12]', files))
    expect(error).toBe(
      '> Error including log:12: not found; :12 means lines of log. For a file named log:12, write @[file:///ws/log%3A12]',
    )
    const [, written] = /write (@.*)$/.exec(error ?? '') ?? []
    expect(await collectContents(written ?? '', files)).toEqual({ 'log:12': 'in a file with a colon' })
  })

  test('R3 that error works for any name, however strange or long', async () => {
    const contents = await collectContents(`@[\ud800:12] @[${'x'.repeat(5000)}:12]`)
    expect(Object.values(contents)).toEqual([
      expect.stringMatching(/^> Error including \ud800:12: not found; .*%EF%BF%BD%3A12\]$/),
      `> Error including ${'x'.repeat(200)}…: not found`,
    ])
  })

  test('R3 thousands of ranges of one large file do not scan the file each time', async () => {
    const cut = async (count: number) => {
      const lines = 40 * count
      const prompt = Array.from({ length: count }, (_, index) => `@[a.ts:${lines - index}]`).join(' ')
      const { items } = await collect(prompt, { 'a.ts': 'x\n'.repeat(lines) })
      expect(items).toHaveLength(count)
      expect(items.every(({ content }) => content === 'x')).toBe(true)
    }
    expect(await growthOfLater(cut, 100)).toBeLessThan(linear)
  })

  test('R3 an empty line is a line', async () => {
    expect(await collectContents('@[a.ts:2] @[a.ts:1:2]', { 'a.ts': 'x\n\ny\n' })).toEqual({
      'a.ts:2': '',
      'a.ts:1:2': 'x\n',
    })
  })

  test('R3 the lines of a range are those that a naive split gives', () => {
    const text = fc.array(fc.constantFrom('a', 'bc', '\n', '\n', '\r\n', '\r', ' '), { maxLength: 12 })
    const line = fc.integer({ min: 1, max: 8 })
    fc.assert(
      fc.property(text, line, line, (pieces, one, other) => {
        const [start, end] = one < other ? [one, other] : [other, one]
        const whole = pieces.join('')
        const lines = whole.split('\n')
        const isEnded = lines.at(-1) === ''
        if (isEnded) lines.pop()
        const hasLineEnd = end < lines.length || isEnded
        const joined = lines.slice(start - 1, end).join('\n')
        const expected = hasLineEnd ? joined.replace(/\r$/, '') : joined
        const cut = new TextLines(whole)
        expect(cut.count).toBe(lines.length)
        expect(cut.slice({ start, end })).toBe(start > lines.length ? undefined : expected)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('relative paths', () => {
  test('R4 a path is relative to the root of the workspace, in a prompt and in a document', async () => {
    const files = {
      'docs/guide.md': '@[src/a.ts] @[b.ts]',
      'src/a.ts': 'a',
      'b.ts': 'b',
      'docs/b.ts': 'wrong',
    }
    expect(await collectContents('@[docs/guide.md] @[./b.ts]', files)).toEqual({
      'docs/guide.md': 'a b',
      'b.ts': 'b',
    })
  })

  test('R4 inside an included file ./ and ../ are relative to that file', async () => {
    const files = {
      'docs/guide/index.md': '@[./part.md] @[../shared.md] @[../../top.md]',
      'docs/guide/part.md': 'part(@[./deeper/leaf.md])',
      'docs/guide/deeper/leaf.md': 'leaf(@[../part.txt])',
      'docs/guide/part.txt': 'text',
      'docs/shared.md': 'shared',
      'top.md': 'top',
      'part.md': 'wrong',
    }
    expect(await assembled('@[docs/guide/index.md]', files)).toBe('part(leaf(text)) shared top')
  })

  test('R4 paths in a document that the caller passes are relative to its own folder', async () => {
    const files = { 'docs/part.md': 'part', 'part.md': 'root', '.hidden.md': 'hidden' }
    const text = '@[./part.md] @[../part.md] @[part.md] @[.hidden.md]'
    expect(await assembled(text, files, { source: 'docs/guide.md' })).toBe('part root root hidden')
    expect(await assembled('@[./part.md]', files, { source: '/ws/docs/guide.md' })).toBe('part')
    expect(await assembled('@[./part.md]', files)).toBe('root')
  })

  test('R4 a path that leaves the workspace with .. is refused', async () => {
    const files = { 'a.md': '@[../../etc/passwd]' }
    expect(await assembled('@[a.md]', files)).toBe(
      '> Error including ../../etc/passwd: is outside the allowed folders',
    )
  })

  test('R4 . is the folder itself', async () => {
    const files = { 'docs/a.md': '@[.]', 'b.ts': '' }
    expect(await assembled('@[docs/a.md]', files)).toBe('[FILE] a.md')
    expect(await collectContents('@[.]', files)).toEqual({ '.': '[DIR] docs\n[FILE] b.ts' })
  })
})

describe('folders', () => {
  test('R5 one level, folders first, each group sorted', async () => {
    const files = {
      'd/z.ts': '',
      'd/a.ts': '',
      'd/sub/x.ts': '',
      'd/B.ts': '',
      'd/another/deep/y.ts': '',
      'e.ts': '',
    }
    expect(await collectContents('@[d]', files)).toEqual({
      d: '[DIR] another\n[DIR] sub\n[FILE] B.ts\n[FILE] a.ts\n[FILE] z.ts',
    })
  })

  test('R5 an empty folder says so', async () => {
    expect(await collectContents('@[.]')).toEqual({ '.': '(empty directory)' })
    expect(await assembled('<@[.]>')).toBe('<(empty directory)>')
  })

  test('R5 in a document too, whatever the names contain', async () => {
    const files = { 'd/@[x.md]': '', 'd/{{X}}': '', 'x.md': 'SCANNED' }
    expect(await assembled('@[d]', files, { macros: macrosOf({ X: 'y' }) })).toBe(
      '[FILE] @[x.md]\n[FILE] {{X}}',
    )
  })

  test('R5 a name with a line end or an invisible character cannot fake an entry', async () => {
    const files = { 'd/a\n[FILE] fake': '', 'd/b\u202e.ts': '' }
    expect(await collectContents('@[d]', files)).toEqual({
      d: '[FILE] a\\u000a[FILE] fake\n[FILE] b\\u202e.ts',
    })
  })

  test('R5 a listing of very many entries is cut and says how many are missing', async () => {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`d/${index + 100}.ts`, '']))
    const { items, warnings } = await collect('@[d]', files, { limits: { fileBytes: 150 } })
    expect(items[0]?.content).toBe(
      `${Array.from({ length: 10 }, (_, index) => `[FILE] ${index + 100}.ts`).join('\n')}\n> 90 more entries of d are not shown.`,
    )
    expect(items[0]?.metadata.truncated).toBe(true)
    expect(warnings.map(placeInSource)).toEqual(['truncated prompt:1:1'])
  })
})

describe('keys', () => {
  test('R6 every spelling of a file is one item, the first position and the canonical key', async () => {
    const prompt =
      '@[./src/a.ts] @[b.ts] @[src/a.ts] @[src//a.ts] @[x/../src/a.ts] @[/ws/src/a.ts] @[file:///ws/src/a.ts]'
    const { items } = await collect(prompt, { 'src/a.ts': 'a', 'b.ts': 'b' })
    expect(items.map(({ key }) => key)).toEqual(['src/a.ts', 'b.ts'])
  })

  test('R6 a range is part of the key, and one line has one key in either notation', async () => {
    const { items } = await collect('@[a.ts:2:2] @[./a.ts:2] @[a.ts:1:2] @[a.ts] @[a.ts:02]', {
      'a.ts': tenLines,
    })
    expect(items.map(({ key }) => key)).toEqual(['a.ts:2', 'a.ts:1:2', 'a.ts'])
  })

  test('R6 a folder has one key, with and without a slash at the end', async () => {
    const { items } = await collect('@[src/] @[src] @[./src/.]', { 'src/a.ts': 'a' })
    expect(items.map(({ key }) => key)).toEqual(['src'])
  })

  test('R6 errors have canonical keys too', async () => {
    const { items } = await collect('@[./gone.ts] @[gone.ts] @[x//../gone.ts:3]', {})
    expect(items.map(({ key }) => key)).toEqual(['gone.ts', 'gone.ts:3'])
  })

  test('R6 equal arguments are one call, whatever their order', async () => {
    const prompt = '@[Echo{"text":"x","n":1}] @[Echo{"n":1,"text":"x"}] @[Echo{"n":2,"text":"x"}]'
    const { items } = await collect(prompt, {}, { tools: oneToolOfEach() })
    expect(items.map(({ key }) => key)).toEqual(['Echo{"n":1,"text":"x"}', 'Echo{"n":2,"text":"x"}'])
  })

  test('R6 a file outside the workspace keeps its absolute path', () => {
    expect(canonicalKey(resolvePath('/etc/../etc//hosts', '/ws', '/ws'), '/ws')).toBe('/etc/hosts')
    expect(canonicalKey(resolvePath('../wsx/a', '/ws', '/ws'), '/ws')).toBe('/wsx/a')
    expect(canonicalKey(resolvePath('../../../..', '/ws', '/ws'), '/ws')).toBe('/')
    expect(canonicalKey(resolvePath('a/b', '/', '/'), '/')).toBe('a/b')
  })

  test('R6 any spelling of a path leads to the same key', async () => {
    const segment = fc.stringMatching(/^[a-zA-Z0-9_-]([a-zA-Z0-9._ -]{0,6}[a-zA-Z0-9])?$/)
    const detour = fc.constantFrom('', './', '/', './/./', 'x/../', 'x/y/../../', './x/./../')
    const spelling = fc.tuple(
      fc.constantFrom('', './', '/ws/', 'file:///ws/', 'x/../', './/'),
      fc.array(fc.tuple(segment, detour), { minLength: 1, maxLength: 4 }),
    )
    await fc.assert(
      fc.asyncProperty(spelling, async ([start, steps]) => {
        const plain = steps.map(([name]) => name).join('/')
        const written =
          start + steps.map(([name], index) => (index === 0 ? '' : steps[index - 1]?.[1]) + name).join('/')
        const { items } = await collect(`@[${written}] @[${plain}]`, { [plain]: 'content' })
        expect(items).toMatchObject([{ key: plain, content: 'content' }])
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('targets that cannot be shown', () => {
  const faults: Record<string, { code: ReadFaultCode; message: string }> = {
    '/ws/locked.md': { code: 'ACCESS_DENIED', message: 'permission denied' },
    '/ws/pipe.md': { code: 'INVALID_PARAM', message: 'is not a regular file' },
    '/ws/huge.md': { code: 'TOO_LARGE', message: 'is 9000000 bytes' },
    '/ws/broken.md': { code: 'INTERNAL_ERROR', message: 'input/output error' },
  }
  const workspace = new MemoryWorkspace({
    'data.bin': new Uint8Array([0, 1, 2, 3]),
    'shot.png': png,
    'a.ts': 'a',
  })
  const assembler = new ContextAssembler({ reader: readerWithFaults(workspace, faults) })
  const problems: Record<string, string> = {
    'missing.md': 'not found',
    'data.bin': 'is a binary file',
    '/etc/passwd': 'is outside the allowed folders',
    '../up.md': 'is outside the allowed folders',
    'locked.md': 'permission denied',
    'pipe.md': 'is not a regular file',
    'huge.md': 'is 9000000 bytes',
    'broken.md': 'input/output error',
    'a.ts:9': 'the file has 1 line; line 9 cannot be shown',
    'a.ts:0': 'line numbers start at 1',
    'ftp://x/y': 'ftp: addresses cannot be included, only files',
  }

  test('R7 in a prompt each becomes an item with the reason, and a warning', async () => {
    for (const [reference, problem] of Object.entries(problems)) {
      const warnings: string[] = []
      const items = await assembler.resolveContext(`see\n @[${reference}]`, {
        onWarning: (warning) => warnings.push(`${placeInSource(warning)} ${warning.message}`),
      })
      expect(items).toMatchObject([
        { type: 'file', content: `> Error including ${reference}: ${problem}`, metadata: { error: true } },
      ])
      expect(warnings).toEqual([`include-failed prompt:2:2 ${reference}: ${problem}`])
    }
  })

  test('R7 in a document the reason replaces each, and a warning says where', async () => {
    const text = Object.keys(problems)
      .map((reference) => `- @[${reference}]\n`)
      .join('')
    const { content, warnings, includes } = await assembler.prepareSkill(text, { source: 'docs/list.md' })
    // From docs/list.md, ../up.md is the root's up.md: inside, and missing.
    const expected = Object.entries({ ...problems, '../up.md': 'not found' })
    expect(content).toBe(
      expected.map(([reference, problem]) => `- > Error including ${reference}: ${problem}\n`).join(''),
    )
    expect(warnings.map((warning) => `${placeInSource(warning)} ${warning.message}`)).toEqual(
      expected.map(
        ([reference, problem], index) =>
          `include-failed docs/list.md:${index + 1}:3 ${reference}: ${problem}`,
      ),
    )
    expect(includes).toEqual([])
  })

  test('R7 a picture in a document is an error: only a prompt can include images', async () => {
    const { content, warnings } = await assembler.prepareSkill('@[shot.png]')
    expect(content).toBe('> Error including shot.png: is an image; only a prompt can include images')
    expect(warnings).toHaveLength(1)
  })

  test('R7 an error does not affect the rest', async () => {
    expect(await assembled('a @[gone.md] b @[x.ts] c', { 'x.ts': 'x' })).toBe(
      'a > Error including gone.md: not found b x c',
    )
  })

  test('R7 a reference that tries to break out of its error message is shown harmlessly', async () => {
    const { items } = await collect('@[a\u2028b\u202e\u0007.md]')
    expect(items[0]?.content).toBe('> Error including a\\u2028b\\u202e\\u0007.md: not found')
    const long = await collect(`@[${'x'.repeat(5000)}]`)
    expect(long.items[0]?.content).toBe(`> Error including ${'x'.repeat(200)}…: not found`)
  })

  test('R7 a NUL in a path is refused, not passed on', async () => {
    const { items } = await collect('@[a\0b.md]')
    expect(items[0]?.content).toMatch(/^> Error including a\\u0000b\.md: /)
  })

  test('R7 arguments that are not JSON, or are nested too deep, are errors of the tool', async () => {
    const tools = oneToolOfEach()
    const macros = macrosOf({ X: 'x' })
    const nested = `Echo{"text":"{{X}}","a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const problems = {
      'Echo{text}': 'not valid JSON',
      'Echo{"text":}': 'not valid JSON',
      [nested]: 'nested deeper',
    }
    for (const [call, problem] of Object.entries(problems)) {
      const { items, warnings } = await collect(`@[${call}]`, {}, { tools, macros })
      expect(items).toMatchObject([{ type: 'tool', metadata: { error: true } }])
      expect(items[0]?.content.startsWith(`> Error executing Echo: the arguments are ${problem}`)).toBe(true)
      expect(warnings.map(placeInSource)).toEqual(['tool-failed prompt:1:1'])
      const document = await assemble(`@[${call}]`, {}, { tools, macros, trusted: true })
      expect(document.content).toBe(items[0]?.content)
      expect(document.warnings.map(({ code }) => code)).toEqual(['tool-failed'])
    }
    expect(tools.ran).toEqual([])
  })

  test('R7 a pattern that looks like a tool call: the error says how to write it', async () => {
    const files = { 'ab.ts': 'b', 'ac.ts': 'c', 'a{b,c}': 'braces' }
    const [error] = Object.values(await collectContents('@[a{b,c}]', files))
    expect(error).toMatch(
      /^> Error executing a: the arguments are not valid JSON \(.*\); for files write @\[\.\/a\{b,c\}\]$/,
    )
    expect(await collectContents('@[./a{b,c}]', files)).toEqual({ 'a{b,c}': 'braces' })
    const [call] = Object.values(await collectContents('@[a{"b",c}]', files))
    expect(call).not.toContain('for files')
  })

  test('R7 a name of nothing but an open brace and commas is answered at once', async () => {
    const ask = async (commas: number) => {
      const contents = await collectContents(`@[./{${','.repeat(commas)}]`)
      expect(Object.values(contents)).toEqual([expect.stringMatching(/…: not found$/)])
    }
    expect(await growthOfLater(ask, 7000)).toBeLessThan(linear)
  })

  test('R7 arguments may be nested 100 levels deep', async () => {
    const call = (levels: number) => `@[Echo{"text":"x","a":${'['.repeat(levels)}${']'.repeat(levels)}}]`
    const contents = await collectContents(call(99) + call(100), {}, { tools: oneToolOfEach() })
    expect(Object.values(contents)).toEqual([
      'x',
      '> Error executing Echo: the arguments are nested deeper than 100 levels',
    ])
  })

  test('R7 a glob with a file in it that cannot be read shows the others', async () => {
    const files = { 'src/a.ts': 'a', 'src/b.ts': new Uint8Array([0, 1]), 'src/c.ts': 'c' }
    expect(await collectContents('@[src/*.ts]', files)).toEqual({
      'src/a.ts': 'a',
      'src/b.ts': '> Error including src/b.ts: is a binary file',
      'src/c.ts': 'c',
    })
  })
})

describe('large files', () => {
  test('R8 a file beyond the limit is cut at a line end, with a note of its size and the range syntax', async () => {
    const { items, warnings } = await collect(
      '@[./log.ts]',
      { 'log.ts': tenLines },
      { limits: { fileBytes: 30 } },
    )
    expect(items).toMatchObject([
      {
        key: 'log.ts',
        content:
          'line 1\nline 2\nline 3\nline 4\n' +
          '> Truncated: log.ts has 71 bytes, and at most the first 30 are shown. Use @[log.ts:START:END] for other lines.',
        metadata: { truncated: true, size: 71 },
      },
    ])
    expect(warnings).toMatchObject([
      {
        code: 'truncated',
        message: 'log.ts is shown only in part: 71 bytes',
        source: 'prompt',
        line: 1,
        column: 1,
      },
    ])
  })

  test('R8 the limit is 256 KiB unless it is set', async () => {
    const line = `${'x'.repeat(63)}\n`
    const { items } = await collect('@[fits.ts] @[more.ts]', {
      'fits.ts': line.repeat(4096),
      'more.ts': `${line.repeat(4096)}y`,
    })
    expect(items[0]?.content).toBe(line.repeat(4096))
    expect(items[0]?.metadata.truncated).toBeUndefined()
    expect(items[1]?.metadata).toMatchObject({ truncated: true, size: 262_145 })
    expect(items[1]?.content).toMatch(
      /\n> Truncated: more\.ts has 262145 bytes, .* Use @\[more\.ts:START:END\]/,
    )
  })

  test('R8 the range that the note names works beyond the cut', async () => {
    const options = { limits: { fileBytes: 30 } }
    const { items } = await collect('@[log.ts:8:9]', { 'log.ts': tenLines }, options)
    expect(items).toMatchObject([{ key: 'log.ts:8:9', content: 'line 8\nline 9' }])
    expect(items[0]?.metadata.truncated).toBeUndefined()
  })

  test('R8 a single line beyond the limit leaves the note', async () => {
    const { items } = await collect('@[a.ts]', { 'a.ts': 'x'.repeat(100) }, { limits: { fileBytes: 30 } })
    expect(items[0]?.content.trimStart()).toMatch(/^> Truncated: a\.ts has 100 bytes/)
  })

  test('R8 in a document the note is in its place, and the shown part is expanded', async () => {
    const files = { 'a.md': '{{X}} one\n{{X}} two\n{{X}} three\n' }
    const options = { macros: macrosOf({ X: 'line' }), limits: { fileBytes: 25 }, source: 'top.md' }
    const { content, warnings } = await assemble('<@[a.md]>', files, options)
    expect(content).toBe(
      '<line one\nline two\n> Truncated: a.md has 32 bytes, and at most the first 25 are shown. Use @[a.md:START:END] for other lines.>',
    )
    expect(warnings.map(placeInSource)).toEqual(['truncated top.md:1:2'])
  })

  test('R8 readResource cuts too, with a note', async () => {
    const assembler = assemblerOf({ 'log.ts': tenLines }, { limits: { fileBytes: 10 } })
    expect(await assembler.readResource('log.ts')).toMatch(/^line 1\n> Truncated: log\.ts has 71 bytes/)
  })
})

describe('a glob in a session', () => {
  test('R1 a session cannot add more files than a reference may', async () => {
    const names = Array.from({ length: 70 }, (_, index) => `f${index}.ts`)
    const workspace = new MemoryWorkspace(Object.fromEntries(names.map((name) => [name, name])))
    const session = {
      cells: [{ content: '@[*.ts]' }],
      metadata: { contextItems: [{ type: 'file' as const, key: '*.ts', cell: 0, matches: names }] },
    }
    const { items } = await new ContextEngine(portsOf(workspace)).assemble(session, 1, 'go')
    expect(items.filter(({ content }) => !content.truncated)).toHaveLength(50)
    expect(items.at(-1)?.content.content).toContain('20 more files match')
  })
})
