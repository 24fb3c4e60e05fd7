import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { constant, growthOfLater, linear, timesAsLongLater } from '../../../../test/support/growth.js'
import { Workspace } from '../../src/index.js'
import { ReadScope } from '../../src/workspace/allowed-folders.js'
import { findFiles } from '../../src/workspace/find-files.js'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js'

function folderOf(...names: string[]): TemporaryFolder {
  return temporaryFolder(Object.fromEntries(names.map((name) => [name, name])))
}

async function glob(folder: TemporaryFolder, pattern: string, allowed: readonly string[] = [folder.path]) {
  const { paths } = await new Workspace({ root: folder.path }).glob(pattern, { allowed, limit: 1000 })
  return paths.map((path) => path.slice(folder.path.length + 1))
}

describe('patterns', () => {
  test.for([
    ['*.ts', ['a.ts', 'b.ts']],
    ['./*.ts', ['a.ts', 'b.ts']],
    ['?.ts', ['a.ts', 'b.ts']],
    ['src/*.ts', ['src/c.ts']],
    ['src/**/*.ts', ['src/c.ts', 'src/deep/d.ts', 'src/deep/er/e.ts']],
    ['**/*.ts', ['a.ts', 'b.ts', 'src/c.ts', 'src/deep/d.ts', 'src/deep/er/e.ts']],
    ['**/deep/**', ['src/deep/d.ts', 'src/deep/er/e.ts']],
    ['src/**', ['src/c.ts', 'src/deep/d.ts', 'src/deep/er/e.ts']],
    ['src/**/**/e.ts', ['src/deep/er/e.ts']],
    ['{a,src/c}.ts', ['a.ts', 'src/c.ts']],
    ['{a,{b,x}}.{ts,js}', ['a.ts', 'b.ts']],
    ['src/*', ['src/c.ts']],
    ['s*c/*.ts', ['src/c.ts']],
    ['src', []],
    ['src/', []],
    ['a.ts', ['a.ts']],
    ['A.ts', []],
    ['', []],
    ['*.tsx', []],
  ] as const)('R1 %s', async ([pattern, expected]) => {
    const folder = folderOf('a.ts', 'b.ts', 'src/c.ts', 'src/deep/d.ts', 'src/deep/er/e.ts')
    expect(await glob(folder, pattern)).toEqual(expected)
  })

  test('R1 brackets, parentheses, signs and lone braces are letters', async () => {
    const folder = folderOf(
      'app/[id]/page.tsx',
      'app/i/page.tsx',
      'app/(shop)/page.tsx',
      'app/a+b!/page.tsx',
      'app/{x}/page.tsx',
    )
    expect(await glob(folder, 'app/[id]/*.tsx')).toEqual(['app/[id]/page.tsx'])
    expect(await glob(folder, 'app/(shop)/*')).toEqual(['app/(shop)/page.tsx'])
    expect(await glob(folder, 'app/a+b!/*')).toEqual(['app/a+b!/page.tsx'])
    expect(await glob(folder, 'app/{x}/*')).toEqual(['app/{x}/page.tsx'])
    expect(await glob(folder, 'app/{x/*')).toEqual([])
  })

  test('R1 hidden names and node_modules are found only by a pattern that names them', async () => {
    const folder = folderOf(
      '.env',
      '.github/ci.yml',
      '.github/.x',
      'a',
      'node_modules/m/index.js',
      'lib/.cache/b',
    )
    expect(await glob(folder, '**')).toEqual(['a'])
    expect(await glob(folder, '*')).toEqual(['a'])
    expect(await glob(folder, '.*')).toEqual(['.env'])
    expect(await glob(folder, '.github/*')).toEqual(['.github/ci.yml'])
    expect(await glob(folder, '**/.*')).toEqual(['.env'])
    expect(await glob(folder, 'lib/.cache/**')).toEqual(['lib/.cache/b'])
    expect(await glob(folder, 'node_modules/**/*.js')).toEqual(['node_modules/m/index.js'])
  })

  test('R1 a pattern never leaves the root', async () => {
    const folder = folderOf('ws/a', 'ws/sub/c', 'b')
    const workspace = new Workspace({ root: folder.at('ws'), roots: [folder.path] })
    const find = (pattern: string) => workspace.glob(pattern, { allowed: [folder.path], limit: 10 })
    for (const pattern of ['../*', 'sub/../../*', `${folder.path}/*`, '/etc/*', '{..,.}/../*'])
      expect(await find(pattern), pattern).toEqual({ paths: [], total: 0 })
    expect((await find('sub/../*')).paths).toEqual([folder.at('ws/a')])
    expect((await find(`${folder.at('ws')}/sub/*`)).paths).toEqual([folder.at('ws/sub/c')])
  })

  test('R1 no pattern can keep the search busy', async () => {
    const folder = folderOf('a'.repeat(200), `${'a/'.repeat(60)}a`)
    for (const [count, make] of [
      [60, (times: number) => `${'*a'.repeat(times)}*b`],
      [100, (times: number) => `${'**/a/'.repeat(times)}b`],
      [100, (times: number) => '{a,b}'.repeat(times)],
      [4000, (times: number) => '{'.repeat(times)],
      [100_000, (times: number) => '*'.repeat(times)],
    ] as const) {
      expect(await glob(folder, make(count))).toEqual([])
      const times = await growthOfLater((size) => glob(folder, make(size)), Math.ceil(count / 30))
      expect([make(1), times < linear]).toEqual([make(1), true])
    }
  })
})

describe('the matches of a pattern', () => {
  test('R1 name the part of a pattern that was too much to search for', async () => {
    const folder = folderOf('f255', 'f256')
    const workspace = new Workspace({ root: folder.path })
    const find = (pattern: string) => workspace.glob(pattern, { allowed: [folder.path], limit: 9 })
    const numbers = (count: number) => `f{${Array.from({ length: count }, (_, index) => index)}}`
    expect(await find(numbers(256))).toEqual({ paths: [folder.at('f255')], total: 1 })
    expect(await find(numbers(257))).toEqual({
      paths: [folder.at('f255')],
      total: 1,
      incomplete: 'only the first 256 alternatives of the pattern were used; use several patterns',
    })
    for (const many of ['{a,b}'.repeat(9), `{${'{a,b}'.repeat(9)},c}`, `${'{a,b}'.repeat(9)}{c,d}`])
      expect((await find(many)).incomplete, many).toContain('first 256 alternatives')
    expect((await find('{a,b}'.repeat(8))).incomplete).toBeUndefined()
    expect((await find('a'.repeat(4097))).incomplete).toContain('longer than 4096')
  })

  test('R1 are sorted by code unit, limited, and counted in full', async () => {
    const folder = folderOf('b', 'B', 'a', 'é', 'a.b', 'a-b', 'c/x')
    const result = await new Workspace({ root: folder.path }).glob('**', { allowed: [folder.path], limit: 3 })
    expect(result).toEqual({ paths: ['B', 'a', 'a-b'].map(folder.at), total: 7 })
  })

  test('R1 are inside the allowed folders', async () => {
    const folder = folderOf('a', 'src/b', 'src-evil/c', 'deep/down/d', 'deep/e')
    expect(await glob(folder, '**', [folder.at('src'), folder.at('deep/down')])).toEqual([
      'deep/down/d',
      'src/b',
    ])
    expect(await glob(folder, '**', [folder.at('deep/e')])).toEqual(['deep/e'])
    expect(await glob(folder, '**', [])).toEqual([])
  })

  test('R1 links to folders are not followed, links to files are files if those may be read', async () => {
    const folder = folderOf('src/a')
    const outside = folderOf('secret/b')
    folder.link('inside', 'src/a')
    folder.link('folder', 'src')
    folder.link('outside', outside.at('secret/b'))
    folder.link('elsewhere', outside.at('secret'))
    folder.link('dangling', 'nothing')
    folder.link('circle/up', '..')
    folder.pipe('pipe')
    expect(await glob(folder, '**')).toEqual(['inside', 'src/a'])
    expect(await glob(folder, 'elsewhere/*')).toEqual([])
    expect(await glob(folder, 'folder/*')).toEqual([])
  })

  test('R1 a search that reaches its limit returns the matches so far, the nearest first', async () => {
    const folder = folderOf('a/b/c/1', 'a/b/2', 'a/3', '4')
    const scope = new ReadScope([folder.path])
    const found = await findFiles({ root: folder.path, pattern: '**', scope, nameLimit: 4 })
    expect(found).toEqual({
      paths: ['4', 'a/3'].map(folder.at),
      incomplete: 'only the first 4 names were searched; narrow the path',
    })
  })
})

describe('.gitignore', () => {
  const ignoreFiles = {
    '.gitignore': [
      '# comment',
      '*.log',
      '!keep.log',
      '/dist',
      'build/',
      'doc/*.txt',
      '**/generated/**',
      'sp\\ ace\\ ',
      '\\#odd',
      'cla[sz]s',
      'CASE',
      '',
    ].join('\r\n'),
    'sub/.gitignore': '!debug.log\n/only-here\nlocal\n!build/\n',
    'sub/[id] x/.gitignore': 'nested/*\n!nested/kept\n#c\n',
    'sub/dist/.gitignore': '*\n!.gitignore\n',
  }
  const names = [
    ...['a.log', 'keep.log', 'a.txt', 'dist/x', 'build/x', 'doc/a.txt', 'doc/deep/a.txt', 'x/generated/y/z'],
    ...[
      'sp ace ',
      '#odd',
      'class',
      'clazs',
      'case',
      'x/dist/y',
      'buildfile',
      'x/build',
      'only-here',
      'local',
    ],
    ...[
      'sub/debug.log',
      'sub/other.log',
      'sub/only-here',
      'sub/deep/only-here',
      'sub/deep/local',
      'sub/build/x',
    ],
    ...['sub/[id] x/nested/a', 'sub/[id] x/nested/kept', 'sub/i/nested/a', 'sub/dist/x', 'sub/dist/y/z'],
  ]

  test('R1 decides like git, at every level', async () => {
    const folder = folderOf(...names)
    folder.write(ignoreFiles)
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder.path, encoding: 'utf8' })
    git('init', '--quiet')
    const listed = git('-c', 'core.excludesFile=', 'ls-files', '-z', '--others', '--exclude-standard')
    const expected = listed.split('\0').filter((name) => name !== '' && !name.endsWith('.gitignore'))
    expect(expected).toContain('sub/debug.log')
    expect(expected).not.toContain('sub/other.log')
    expect(await glob(folder, '**')).toEqual(expected.sort())
  })

  test('R1 applies from the root down, even if only a part is allowed or requested', async () => {
    const folder = folderOf('src/a.ts', 'src/a.log', 'src/gone/b.ts')
    folder.write({ '.gitignore': '*.log\ngone/\n' })
    expect(await glob(folder, 'src/*', [folder.at('src')])).toEqual(['src/a.ts'])
    expect(await glob(folder, 'src/gone/*')).toEqual([])
  })

  test('R1 .git is never entered, ignored or not', async () => {
    const folder = folderOf('.git/config', 'sub/.git/config', 'sub/a', 'module/.git')
    for (const pattern of ['.git/*', '**/.git/*', '.git/**', 'sub/.git/config', 'module/.git'])
      expect(await glob(folder, pattern), pattern).toEqual([])
  })
})

test('R1 a .gitignore made to backtrack forever does not', async () => {
  const deep = `${'a/'.repeat(60)}x.ts`
  const folder = temporaryFolder({ [deep]: 'x', '.gitignore': `${'**/a/'.repeat(9)}**/b\n` })
  expect(await glob(folder, '**/*.ts')).toEqual([deep])
})

test('R1 a .gitignore made to be slow for every name is not', async () => {
  const searchIn = (length: number) => {
    const names = Array.from({ length: 300 }, (_, index) => `${'a'.repeat(length)}${index}`)
    const folder = folderOf(...names)
    folder.write({ '.gitignore': '*a*a*a*a*b\n*a*a*a*b\n*a*7\n' })
    const expected = names.filter((name) => !name.endsWith('7')).sort()
    return async () => expect(await glob(folder, '*')).toEqual(expected)
  }
  // For the long names each of the two lines with three stars and more would take seconds.
  expect(await timesAsLongLater(searchIn(200), searchIn(2), constant)).toBeLessThan(constant)
})
