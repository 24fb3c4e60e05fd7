import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'

test('H1 render prints the assembled document on standard output and nothing else', async () => {
  const folder = makeFolder({
    'top.md':
      '---\nDescription: A review\nParams: [a, b]\n---\nHello {{NAME}}\n@{ifdef STRICT}\nbe strict\n@{endif}\n@[./part.md]',
    'part.md': '---\nParams: [b, c]\n---\npart for {{NAME}}\n',
  })
  const { code, stdout, stderr } = await run(folder, ['render', 'top.md', '-D', 'NAME=Ann', '-D', 'STRICT'])
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: 'Hello Ann\nbe strict\npart for Ann\n',
    stderr: '',
  })
})

test('H1 render --json gives content, description, params, includes and warnings', async () => {
  const folder = makeFolder({
    'top.md': '---\nDescription: A review\nParams: [a, b]\n---\n{{NAME}} @[./part.md]',
    'part.md': '---\nParams: [b, c]\n---\npart',
  })
  expect(await runJson(folder, ['render', 'top.md'])).toEqual({
    content: '{{NAME}} part',
    description: 'A review',
    params: ['a', 'b', 'c'],
    includes: ['part.md'],
    warnings: [
      {
        code: 'unknown-macro',
        message: '{{NAME}} is not defined, so it was not replaced',
        phrase: { code: 'unknown-macro', args: ['NAME'] },
        source: 'top.md',
        line: 5,
        column: 1,
      },
    ],
  })
})

test('H1 render puts warnings on standard error with file, line and column', async () => {
  const folder = makeFolder({
    'top.md': 'one\n  @[docs/part.md]\n',
    'docs/part.md': 'x\ny @[./gone.md]\n@{endif}\n',
  })
  const { code, stdout, stderr } = await run(folder, ['render', 'top.md'])
  expect(code).toBe(0)
  expect(stdout).toBe('one\n  x\ny > Error including ./gone.md: not found\n\n')
  expect(stderr.split('\n').sort()).toEqual([
    '',
    'docs/part.md:2:3: warning: ./gone.md: not found [include-failed]',
    'docs/part.md:3:1: warning: @{endif} without a condition before it [unmatched-endif]',
  ])
})

test('H1 render prints warnings file by file, from top to bottom', async () => {
  const folder = makeFolder({ 'top.md': '{{A}}\n@{endif}\n{{B}}\n@{if X IS "1"}\n' })
  const { stderr } = await run(folder, ['render', 'top.md'])
  expect(stderr.match(/top\.md:\d+/g)).toEqual(['top.md:1', 'top.md:2', 'top.md:3', 'top.md:4', 'top.md:4'])
})

test('H1 render reads a document from standard input', async () => {
  const folder = makeFolder({ 'a.txt': 'A' })
  expect((await run(folder, ['render', '-'], { input: 'see @[a.txt]' })).stdout).toBe('see A')
})

test('H1 render finds the workspace of a document elsewhere, and -C names another one', async () => {
  const folder = makeFolder({
    'docs/top.md': '@[part.md]',
    'docs/part.md': 'beside',
    'part.md': 'at the root',
  })
  const elsewhere = makeFolder()
  expect((await run(elsewhere, ['render', join(folder, 'docs/top.md')])).stdout).toBe('beside')
  expect((await run(elsewhere, ['render', '-C', folder, join(folder, 'docs/top.md')])).stdout).toBe(
    'at the root',
  )
})

test('H1 render leaves source code as it is', async () => {
  const text = 'const a = "@[b.ts] {{X}} @{endif}"\n'
  const folder = makeFolder({ 'a.ts': text, 'b.ts': 'B' })
  expect(await run(folder, ['render', 'a.ts'])).toEqual({ code: 0, stdout: text, stderr: '' })
})

test.for([
  ['a file that is not there', ['render', 'gone.md'], 1, /gone\.md: not found/],
  ['a folder', ['render', '.mutsumi'], 1, /is a folder, not a document/],
  ['no file', ['render'], 2, /missing required argument 'file'/],
  ['a bad macro name', ['render', 'a.md', '-D', '1x=2'], 2, /"1x" is not a valid name/],
  ['an unknown flag', ['render', 'a.md', '--nope'], 2, /unknown option '--nope'/],
  ['an unknown setting', ['render', 'a.md', '-c', 'limits.include=3'], 2, /did you mean limits\.includes\?/],
  [
    'a setting without sense',
    ['render', 'a.md', '-c', 'limits.includes=many'],
    2,
    /takes a whole number from 1, not "many"/,
  ],
  ['a workspace that is not there', ['render', 'a.md', '-C', 'nowhere'], 1, /nowhere does not exist/],
] as const)('H1 render answers %s with a message and an exit code', async ([, args, code, message]) => {
  const folder = makeFolder({ 'a.md': 'a', '.mutsumi/x': '' })
  const result = await run(folder, args)
  expect(result.code).toBe(code)
  expect(result.stderr).toMatch(message)
  expect(result.stderr).not.toMatch(/ at .*\.(ts|js|cjs):\d+/)
  expect(result.stdout).toBe('')
})

test('R7 R8 render includes nothing from outside: for links, dot-dot, siblings, pipes and devices there is an error', async () => {
  const outside = makeFolder({ 'secret.txt': 'SECRET' })
  const folder = makeFolder({ 'ws/a.md': '' })
  const workspace = join(folder, 'ws')
  mkdirSync(join(folder, 'ws-evil'))
  symlinkSync(join(outside, 'secret.txt'), join(workspace, 'link.txt'))
  symlinkSync(outside, join(workspace, 'folder'))
  execFileSync('mkfifo', [join(workspace, 'pipe.md')])
  const targets = [
    'link.txt',
    'folder/secret.txt',
    `../../${outside.split('/').at(-1)}/secret.txt`,
    '../ws-evil',
    join(outside, 'secret.txt'),
    'pipe.md',
    '/dev/zero',
    '/etc/passwd',
  ]
  const input = targets.map((target) => `@[${target}]`).join('\n')
  const { code, stdout } = await run(workspace, ['render', '-'], { input })
  expect(code).toBe(0)
  expect(stdout).not.toContain('SECRET')
  expect(stdout.split('\n').map((line) => line.startsWith('> Error including'))).toEqual(
    targets.map(() => true),
  )
})

test('H1 a warning of render cannot control the terminal', async () => {
  const folder = makeFolder({ 'a.md': '@[\u001b[2J]\u009b1m.md]' })
  const { stderr } = await run(folder, ['render', 'a.md'])
  expect(stderr).toContain('\\u001b[2J]\\u009b1m.md')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  expect(stderr).not.toMatch(/[\u001b\u009b]/)
})

test('H1 render into a closed pipe ends quietly', async () => {
  const folder = makeFolder({ 'big.md': 'line\n'.repeat(2_000_000) })
  const command = `"${process.execPath}" "${join(import.meta.dirname, '../../bin/mutsumi.cjs')}" render big.md | head -1`
  expect(
    execFileSync('sh', ['-c', command], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  ).toBe('line\n')
})

test.skipIf(!existsSync('/usr/bin/script'))(
  'H1 render makes a document safe on a terminal and leaves it alone in a pipe',
  async () => {
    const folder = makeFolder({ 'a.md': 'red \u001b[31m' })
    const command = `"${process.execPath}" "${join(import.meta.dirname, '../../bin/mutsumi.cjs')}" render a.md`
    const onTerminal = execFileSync('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(onTerminal).toContain('red \\u001b[31m')
    expect((await run(folder, ['render', 'a.md'])).stdout).toBe('red \u001b[31m')
  },
)

test('H1 render gives the same keys however its folder is reached: through a link to this folder, with -C, or in the path', async () => {
  const folder = makeFolder({ 'real/docs/top.md': '{{X}} @[./part.md]', 'real/docs/part.md': 'part' })
  const [real, link] = [join(folder, 'real'), join(folder, 'link')]
  symlinkSync(real, link)
  const shown = async (cwd: string, args: readonly string[]) => {
    const { content, includes, warnings } = await runJson(cwd, ['render', ...args])
    return [content, includes, warnings[0].source]
  }
  const expected = ['{{X}} part', ['docs/part.md'], 'docs/top.md']
  expect(await shown(link, ['docs/top.md'])).toEqual(expected)
  expect(await shown(folder, ['-C', 'link', 'docs/top.md'])).toEqual(expected)
  expect(await shown(real, [join(link, 'docs/top.md')])).toEqual(expected)
  expect(await shown(real, ['-C', link, join(link, 'docs/top.md')])).toEqual(expected)
})

test('H1 render looks for FILE in the folder that -C names', async () => {
  const folder = makeFolder({ 'src/b.ts': 'inner', 'b.ts': 'outer' })
  expect((await run(folder, ['render', '-C', 'src', 'b.ts'])).stdout).toBe('inner')
})

test('H1 render of a document in a missing folder says that the document is missing', async () => {
  const { code, stderr } = await run(makeFolder(), ['render', '/nowhere/at/all.md'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'mutsumi: /nowhere/at/all.md: not found\n' })
})

test('H1 render removes a byte order mark from standard input', async () => {
  const input = '\ufeff---\nDescription: d\n---\nhello'
  expect(await runJson(makeFolder(), ['render', '-'], { input })).toMatchObject({
    content: 'hello',
    description: 'd',
  })
})
