import { chmodSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { createToolRunner, Workspace } from '../../src/index.js'
import { createSessionMemory } from '../../src/session-memory/session-memory.js'
import { createGrep, type GrepOptions } from '../../src/tools/grep.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

const withoutRipgrep: GrepOptions = { findRipgrep: () => Promise.reject(new Error('no binary')) }

interface CallOptions extends GrepOptions {
  readonly allowed?: readonly string[]
  readonly signal?: AbortSignal
  readonly roots?: readonly string[]
}

function grep(folder: TemporaryFolder, args: JsonObject, options: CallOptions = {}): Promise<ToolResult> {
  const { allowed = [folder.path], signal, roots = [], ...grepOptions } = options
  const workspace = new Workspace({ root: folder.path, roots })
  const runner = createToolRunner({ workspace, tools: [createGrep(grepOptions)] })
  return runner.run({ name: 'Grep', args }, { allowed, ...(signal && { signal }) })
}

/** `file:line:text` of every match. */
function matchesOf({ data, text, status }: ToolResult): string[] {
  if (status === 'error') expect.fail(text)
  return (data.matches as JsonObject[]).map(({ file, line, text }) => `${file}:${line}:${text}`)
}

function errorOf(result: ToolResult): string {
  return result.status === 'error' ? `${result.error.code} ${result.error.message}` : result.status
}

const engines = [
  ['ripgrep', {}],
  ['the fallback', withoutRipgrep],
] as const satisfies readonly (readonly [string, GrepOptions])[]

describe.for(engines)('%s', ([, engine]) => {
  const fallback = engine === withoutRipgrep

  test('T4 a sparse file of 50 GB, given by name, is refused at once, with advice', async () => {
    const folder = temporaryFolder({ sparse: '' })
    truncateSync(folder.at('sparse'), 50 * 2 ** 30)
    const result = await grep(folder, { pattern: 'x', path: 'sparse' }, engine)
    expect(errorOf(result)).toMatch(/^INVALID_PARAM path: sparse has 53687091200 bytes; .* Bash/)
    expect(result.stats?.time_ms).toBeLessThan(3000)
  })

  test('T4 a pattern whose repetitions multiply is refused at once, with an explanation', async () => {
    const folder = temporaryFolder({ 'a.txt': 'a' })
    for (const pattern of ['a{1,1000}{1,1000}', '((((a{10}){10}){10}){10}){10}{10}']) {
      const result = await grep(folder, { pattern }, engine)
      expect(errorOf(result), pattern).toMatch(/^INVALID_PARAM pattern: it is too large: .*smaller counts/)
      expect(result.stats?.time_ms).toBeLessThan(5000)
    }
  })

  test('T4 R8 a pipe, or a link to one, instead of a .gitignore does not block', async () => {
    const folder = temporaryFolder({ 'a.txt': 'needle', 'sub/b.txt': 'needle' })
    folder.pipe('sub/.gitignore')
    folder.link('.gitignore', 'sub/.gitignore')
    expect(matchesOf(await grep(folder, { pattern: 'needle' }, engine))).toEqual([
      'a.txt:1:needle',
      'sub/b.txt:1:needle',
    ])
  })

  test('T4 finds lines, in the order of files and lines', async () => {
    const folder = temporaryFolder({
      'b.ts': 'one\ntwo\nthree two\n',
      'a/c.ts': 'two',
      'a-b.ts': 'two',
      'a/deep/d.ts': '2',
    })
    const result = await grep(folder, { pattern: 'two' }, engine)
    expect(result.data).toEqual({
      matches: [
        { file: 'a/c.ts', line: 1, text: 'two' },
        { file: 'a-b.ts', line: 1, text: 'two' },
        { file: 'b.ts', line: 2, text: 'two' },
        { file: 'b.ts', line: 3, text: 'three two' },
      ],
      total: 4,
      truncated: false,
      ...(fallback && { fallback: true }),
    })
    expect(result.status).toBe(fallback ? 'partial' : 'success')
    const text = 'a/c.ts\n1:two\na-b.ts\n1:two\nb.ts\n2:two\n3:three two'
    expect(result.text).toBe(fallback ? `${text}\n(searched without ripgrep)` : text)
  })

  test('T4 says that nothing was found', async () => {
    const result = await grep(temporaryFolder({ a: 'x' }), { pattern: 'y' }, engine)
    expect(result.text).toMatch(/^\(no matches\)/)
    expect(result.data).toMatchObject({ matches: [], truncated: false })
  })

  test('T4 path is a file or a folder, and include a pattern below it', async () => {
    const folder = temporaryFolder({ 'src/a.ts': 'x', 'src/a.js': 'x', 'src/in/b.ts': 'x', 'c.ts': 'x' })
    const found = async (args: JsonObject) => matchesOf(await grep(folder, { pattern: 'x', ...args }, engine))
    expect(await found({ path: 'src/a.js' })).toEqual(['src/a.js:1:x'])
    expect(await found({ path: 'src/a.js', include: '*.ts' })).toEqual(['src/a.js:1:x'])
    expect(await found({ path: 'src' })).toEqual(['src/a.js:1:x', 'src/a.ts:1:x', 'src/in/b.ts:1:x'])
    expect(await found({ path: 'src', include: '*.ts' })).toEqual(['src/a.ts:1:x', 'src/in/b.ts:1:x'])
    expect(await found({ path: 'src', include: './*.ts' })).toEqual(['src/a.ts:1:x'])
    expect(await found({ include: 'src/**/*.{ts,tsx}' })).toEqual(['src/a.ts:1:x', 'src/in/b.ts:1:x'])
    expect(await found({ include: '{a,b}.ts' })).toEqual(['src/a.ts:1:x', 'src/in/b.ts:1:x'])
    expect(await found({ include: '../*.ts', path: 'src' })).toEqual([])
  })

  test('T4 case_sensitive decides about the letter case', async () => {
    const folder = temporaryFolder({ a: 'Été\nété\n' })
    expect(matchesOf(await grep(folder, { pattern: 'ét' }, engine))).toEqual(['a:2:été'])
    const all = await grep(folder, { pattern: 'ÉT', case_sensitive: false }, engine)
    expect(matchesOf(all)).toEqual(['a:1:Été', 'a:2:été'])
  })

  test('T4 context_lines shows the lines around a match', async () => {
    const folder = temporaryFolder({ a: '1\n2\nx\n4\n5\n6\n7\nx\nx\n' })
    const result = await grep(folder, { pattern: 'x', context_lines: 1 }, engine)
    expect(result.text).toMatch(/^a\n2-2\n3:x\n4-4\n--\n7-7\n8:x\n9:x/)
    expect(result.data.matches).toEqual([
      { file: 'a', line: 3, text: 'x', before: ['2'], after: ['4'] },
      { file: 'a', line: 8, text: 'x', before: ['7'], after: ['x'] },
      { file: 'a', line: 9, text: 'x', before: ['x'], after: [] },
    ])
    const cut = await grep(folder, { pattern: 'x', context_lines: 1, limit: 2 }, engine)
    expect(cut.text).toMatch(/8:x\n9-x\n\(the first 2 of 3 matches/)
  })

  test('T4 total is the count of all matches, not the limit, however many there are', async () => {
    const folder = temporaryFolder({ a: 'x\n'.repeat(700), b: 'x\n'.repeat(20) })
    const result = await grep(folder, { pattern: 'x', limit: 5 }, engine)
    expect(result.data).toMatchObject({ total: 720, truncated: true })
    expect(matchesOf(result)).toHaveLength(5)
    folder.write({ 'c\nd': 'x\n'.repeat(6000), '.gitignore': 'ignored', ignored: 'x\n', 'e.bin': 'x\n\0' })
    const many = await grep(folder, { pattern: 'x', limit: 5, context_lines: 2 }, engine)
    expect(many.data.total).toBe(6720)
    expect(many.text).toContain('(the first 5 of 6720 matches;')
    expect(
      (await grep(folder, { pattern: 'x', path: 'a', limit: 5, context_lines: 20 }, engine)).data.total,
    ).toBe(700)
    const some = { pattern: 'x', include: '{a,b}', limit: 5, context_lines: 20 }
    expect((await grep(folder, some, engine)).data.total).toBe(720)
  })

  test('T4 gives the first 100 matches, always the same ones', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `f${String(index).padStart(2, '0')}`)
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, 'x\nx\nx\n'])))
    const result = await grep(folder, { pattern: 'x' }, engine)
    expect(result).toMatchObject({ status: 'partial', data: { truncated: true } })
    const expected = names.flatMap((name) => [1, 2, 3].map((line) => `${name}:${line}:x`))
    expect(matchesOf(result)).toEqual(expected.slice(0, 100))
    expect(result.text).toContain('(the first 100 of 180 matches; narrow the pattern, path or include)')
    expect(matchesOf(await grep(folder, { pattern: 'x', limit: 180 }, engine))).toEqual(expected)
    expect((await grep(folder, { pattern: 'x', limit: 180 }, engine)).data.truncated).toBe(false)
  })

  test('T4 long lines are cut around the match, and never within a character', async () => {
    const long = `${'a'.repeat(5000)}needle${'😀'.repeat(5000)}`
    const folder = temporaryFolder({ a: `${long}\n${'b'.repeat(301)}needle\n` })
    const [first, second] = matchesOf(await grep(folder, { pattern: 'needle' }, engine))
    expect(first).toMatch(/^a:1:…a{100}needle(😀){97}…$/u)
    expect(second).toMatch(/^a:2:…b{294}needle$/)
  })

  test('T4 leaves out files that git ignores, binary files, hidden names, packages and links', async () => {
    const folder = temporaryFolder({
      '.gitignore': '*.log\n/dist\n',
      'src/.gitignore': '!keep.log\n',
      'a.log': 'x',
      'src/a.log': 'x',
      'src/keep.log': 'x',
      'dist/a': 'x',
      binary: 'x\n\0',
      '.hidden': 'x',
      '.git/config': 'x',
      'node_modules/m/a': 'x',
      '.ignore': 'kept\n',
      kept: 'x',
    })
    folder.link('link', 'kept')
    const found = async (args: JsonObject) => matchesOf(await grep(folder, { pattern: 'x', ...args }, engine))
    expect(await found({})).toEqual(['kept:1:x', 'src/keep.log:1:x'])
    expect(await found({ path: 'src' })).toEqual(['src/keep.log:1:x'])
    expect(await found({ include: '.*' })).toEqual(['.hidden:1:x'])
    expect(await found({ include: 'node_modules/**' })).toEqual(['node_modules/m/a:1:x'])
    expect(await found({ include: '.git/*' })).toEqual([])
    expect(await found({ path: 'binary' })).toEqual([])
    // A path that names an ignored file still searches it.
    expect(await found({ path: 'a.log' })).toEqual(['a.log:1:x'])
    expect(await found({ path: 'dist' })).toEqual(['dist/a:1:x'])
    expect(await found({ path: 'node_modules/m' })).toEqual(['node_modules/m/a:1:x'])
    expect(await found({ path: 'link' })).toEqual(['kept:1:x'])
  })

  test('T4 .gitignore files of parent folders apply, except those above the workspace', async () => {
    const outer = temporaryFolder({ '.gitignore': '*\n' })
    outer.write({
      'ws/.gitignore': '*.log\n/a/b/skip\n',
      'ws/a/.gitignore': '/b/here\nlocal\n',
      'ws/a/b/one.log': 'x',
      'ws/a/b/skip': 'x',
      'ws/a/b/here': 'x',
      'ws/a/b/deep/local': 'x',
      'ws/a/b/kept': 'x',
    })
    const folder = { ...outer, path: outer.at('ws') }
    expect(matchesOf(await grep(folder, { pattern: 'x', path: 'a/b' }, engine))).toEqual(['a/b/kept:1:x'])
  })

  test('T4 reads UTF-8 with and without mark, UTF-16 and CRLF', async () => {
    const utf16 = Buffer.from('\ufeffone\r\nnaïve 日本\r\n', 'utf16le')
    const folder = temporaryFolder({
      bom: '\ufeffone\nnaïve 日本\n',
      crlf: 'one\r\nnaïve 日本\r\n',
      'utf16-be': Buffer.from(utf16).swap16(),
      'utf16-le': utf16,
    })
    const result = await grep(folder, { pattern: '^na.ve \\w{2}$' }, engine)
    expect(matchesOf(result)).toEqual(
      ['bom', 'crlf', 'utf16-be', 'utf16-le'].map((name) => `${name}:2:naïve 日本`),
    )
    expect(matchesOf(await grep(folder, { pattern: '^one', include: 'bom' }, engine))).toEqual(['bom:1:one'])
  })

  test('T4 never leaves the allowed folders', async () => {
    const folder = temporaryFolder({ 'src/a': 'x', 'src-evil/b': 'x', 'lib/c': 'x', d: 'x' })
    const secret = temporaryFolder({ secret: 'x' })
    folder.link('src/out', secret.at('secret'))
    folder.link('src/folder', secret.path)
    const allowed = [folder.at('src'), folder.at('lib/c')]
    expect(matchesOf(await grep(folder, { pattern: 'x' }, { ...engine, allowed }))).toEqual([
      'lib/c:1:x',
      'src/a:1:x',
    ])
    for (const path of ['src-evil', 'd', '..', 'src/out', 'src/folder', secret.path])
      expect(errorOf(await grep(folder, { pattern: 'x', path }, { ...engine, allowed })), path).toMatch(
        /^ACCESS_DENIED .*is outside the folders/,
      )
    expect(matchesOf(await grep(folder, { pattern: 'x', path: 'lib' }, { ...engine, allowed }))).toEqual([
      'lib/c:1:x',
    ])
  })

  test('T4 searches a further folder that the user opened', async () => {
    const folder = temporaryFolder({ a: 'x' })
    const other = temporaryFolder({ 'sub/b': 'x', 'sub/c.log': 'x', 'sub/.gitignore': '*.log' })
    const options = { ...engine, roots: [other.path], allowed: [folder.path, other.path] }
    const found = async (path: string) => matchesOf(await grep(folder, { pattern: 'x', path }, options))
    expect(await found(other.path)).toEqual([`${other.at('sub/b')}:1:x`])
    expect(await found(other.at('sub/b'))).toEqual([`${other.at('sub/b')}:1:x`])
  })

  test('T4 refuses an invalid pattern or path', async () => {
    const folder = temporaryFolder({ a: 'x' })
    const refusal = async (args: JsonObject) => errorOf(await grep(folder, args, engine))
    for (const pattern of ['(', '[a', 'a{', '*a', '\\', 'a\\nb', '(?=a)', '\\1', 'a\nb', '(?<!b)a', '\\y'])
      expect(await refusal({ pattern }), pattern).toMatch(/^INVALID_PARAM pattern: ./)
    expect(await refusal({ pattern: 'a\0b' })).toMatch(/^INVALID_PARAM pattern: /)
    expect(await refusal({ pattern: 'x', path: 'nothing' })).toBe('NOT_FOUND nothing: not found')
    expect(await refusal({ pattern: 'x', path: 'https://a.b' })).toMatch(/^INVALID_PARAM path: /)
    expect(await refusal({ pattern: 'x', limit: -1 })).toMatch(/^INVALID_PARAM limit: /)
    expect(await refusal({ pattern: 'x', include: 'a\0' })).toBe(fallback ? 'partial' : 'success')
  })

  test('T4 names and patterns that look like options are not options', async () => {
    const folder = temporaryFolder({ '--help': '--files', '-e/a\nb': '--files' })
    expect(matchesOf(await grep(folder, { pattern: '--files' }, engine))).toEqual([
      '--help:1:--files',
      '-e/a\nb:1:--files',
    ])
    expect(matchesOf(await grep(folder, { pattern: '-', path: '-e' }, engine))).toHaveLength(1)
    const { text } = await grep(folder, { pattern: '-', path: '-e' }, engine)
    expect(text).toMatch(/^-e\/a\\u000ab\n1:--files/)
  })

  test('T4 a search stops at its signal and at its time limit', async () => {
    const lines = 'abcdefgh '.repeat(200_000).replaceAll(' a', '\na')
    const folder = temporaryFolder(
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, lines])),
    )
    const controller = new AbortController()
    const running = grep(folder, { pattern: '(x+x+)+y' }, { ...engine, signal: controller.signal })
    setTimeout(() => controller.abort(), 5)
    expect(errorOf(await running)).toBe('EXECUTION_ERROR cancelled')
    const late = await grep(folder, { pattern: '(\\w+x+)+y' }, { ...engine, timeoutMs: 1 })
    expect(errorOf(late)).toMatch(/^TIMEOUT the search took longer than 1 ms/)
  })

  test('T4 no pattern can keep the search busy', async () => {
    const folder = temporaryFolder({ a: `${'a'.repeat(20_000)}!\n` })
    expect(matchesOf(await grep(folder, { pattern: '^(a+)+$' }, engine))).toEqual([])
  })
})

test('T4 a named file that is too large for the fallback is reported as not searched', async () => {
  const folder = temporaryFolder({ 'large.txt': 'x\n', 'small.txt': 'x\n' })
  truncateSync(folder.at('large.txt'), 65 * 1024 * 1024)
  const result = await grep(folder, { pattern: 'x', path: 'large.txt' }, withoutRipgrep)
  expect(result).toMatchObject({ status: 'partial', data: { matches: [], truncated: true } })
  expect(result.text).toContain('some files were too large to search')
  expect(matchesOf(await grep(folder, { pattern: 'x' }, withoutRipgrep))).toEqual(['small.txt:1:x'])
})

describe('ripgrep itself', () => {
  test('T4 explains in its own words what is wrong with a pattern', async () => {
    const folder = temporaryFolder({ a: 'x' })
    expect(errorOf(await grep(folder, { pattern: 'a(b' }))).toBe(
      'INVALID_PARAM pattern: regex parse error:\n    (?:a(b)\n    ^\nerror: unclosed group',
    )
    expect(errorOf(await grep(folder, { pattern: 'a\\nb' }))).toBe(
      'INVALID_PARAM pattern: the literal "\\n" is not allowed in a regex',
    )
  })

  test('T4 if the binary is missing, broken or silent, the fallback replaces it', async () => {
    const folder = temporaryFolder({
      a: 'x',
      mute: '#!/bin/sh\nexit 0\n',
      talking: '#!/bin/sh\necho hello\necho "{}"\nexec sleep 60\n',
      killed: '#!/bin/sh\nkill -9 $$\n',
      notExecutable: '',
    })
    for (const name of ['mute', 'talking', 'killed']) chmodSync(folder.at(name), 0o755)
    for (const command of ['nothing', 'notExecutable', 'mute', 'talking', 'killed'].map(folder.at)) {
      const result = await grep(folder, { pattern: 'x', path: 'a' }, { findRipgrep: async () => command })
      expect(result, command).toMatchObject({ status: 'partial', data: { fallback: true } })
      expect(matchesOf(result)).toEqual(['a:1:x'])
    }
  })

  test('T4 no setting of the user changes what is found', async () => {
    const folder = temporaryFolder({ a: 'x\nX\n', config: '--ignore-case\n' })
    const before = process.env.RIPGREP_CONFIG_PATH
    process.env.RIPGREP_CONFIG_PATH = folder.at('config')
    try {
      expect(matchesOf(await grep(folder, { pattern: 'x', path: 'a' }))).toEqual(['a:1:x'])
    } finally {
      if (before === undefined) delete process.env.RIPGREP_CONFIG_PATH
      else process.env.RIPGREP_CONFIG_PATH = before
    }
  })

  test.for(['timeout', 'cancel'] as const)(
    'T4 the process has ended when the answer comes: %s',
    async (reason) => {
      const folder = temporaryFolder({ a: 'x' })
      // Waits for ever, and leaves its process number where the test can find it.
      folder.write({ slow: `#!/bin/sh\necho $$ > '${folder.at('pid')}'\nexec sleep 60\n` })
      chmodSync(folder.at('slow'), 0o755)
      const isTimeout = reason === 'timeout'
      const tool = createGrep({
        findRipgrep: async () => folder.at('slow'),
        timeoutMs: isTimeout ? 1000 : 60_000,
      })
      // Not through the runner, which does not wait for a tool that was cancelled.
      const outcome = await tool.call(
        { pattern: 'x', path: 'a' },
        {
          workspace: new Workspace({ root: folder.path }),
          allowed: [folder.path],
          memory: createSessionMemory(),
          ...(!isTimeout && { signal: AbortSignal.timeout(1000) }),
        },
      )
      expect(outcome).toMatchObject({ error: { code: isTimeout ? 'TIMEOUT' : 'EXECUTION_ERROR' } })
      const pid = Number(readFileSync(folder.at('pid'), 'utf8'))
      expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
    },
  )

  test('T4 a link that replaces a file gives no content of its target', async () => {
    const secret = temporaryFolder({ secret: 'x secret\n' })
    const folder = temporaryFolder({ a: 'x plain\n', 'swap/file': 'x plain\n' })
    symlinkSync(secret.at('secret'), folder.at('swap/link'))
    const swapper = setInterval(() => {
      // Each replaces `a` at once, as an attacker would.
      symlinkSync(secret.at('secret'), folder.at('swap/next'))
      renameSync(folder.at('swap/next'), folder.at('a'))
      writeFileSync(folder.at('swap/next'), 'x plain\n')
      renameSync(folder.at('swap/next'), folder.at('a'))
    }, 0)
    try {
      for (let round = 0; round < 150; round++) {
        const { text } = await grep(folder, { pattern: 'x', path: '.' })
        expect(text).not.toContain('secret')
      }
    } finally {
      clearInterval(swapper)
    }
  })
})
