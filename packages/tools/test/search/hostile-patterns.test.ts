import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { createToolRunner, Workspace } from '../../src/index.js'
import { parsePermissionRule } from '../../src/permission/permission-rule.js'
import { parseGitConfig } from '../../src/protected/git-config.js'
import { gitFoldersOf } from '../../src/protected/git-places.js'
import { createGrep } from '../../src/tools/grep.js'
import { isDeniedPath, parsePathPattern } from '../../src/workspace/path-pattern.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Each takes longer than a life with a backtracking engine, or more memory than a machine has. */
const patterns = [
  ...['^(a+)+$', '(a|a)*b', '(a*)*b', '(a|aa)+$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'],
  ...[
    '((a{0,100}){0,100}){0,100}',
    '(a{1000}){1000}',
    'a{1000}b{1000}c{1000}',
    '\\p{L}'.repeat(3000),
    '.*'.repeat(2000),
  ],
  ...['('.repeat(5000), '('.repeat(5000) + ')'.repeat(5000), 'a|'.repeat(20_000), '[^a]*'.repeat(3000)],
]

describe('a pattern of the model', () => {
  function search(pattern: string) {
    const folder = temporaryFolder({
      'a.ts': `${'a'.repeat(1_000_000)}!\nneedle\n`,
      'b.ts': `${'a'.repeat(50)}!\n`,
    })
    const tools = [createGrep({ findRipgrep: () => Promise.reject(new Error('none')) })]
    const runner = createToolRunner({ workspace: new Workspace({ root: folder.path }), tools })
    return runner.run({ name: 'Grep', args: { pattern } }, { allowed: [folder.path] })
  }

  test.for(patterns.map((pattern) => [pattern.slice(0, 30), pattern] as const))(
    'Z7 does not hang a search without ripgrep: %s',
    { timeout: 120_000 },
    async ([, pattern]) => {
      const answered = await search(pattern)
      expect(['success', 'partial', 'error']).toContain(answered.status)
    },
  )

  test('Z7 that would take too long for one line leaves out that line, and says so', async () => {
    const answered = await search('(a+)+b|needle')
    expect(answered.status).toBe('partial')
    expect(answered.text).toContain('needle')
    expect(answered.data).toMatchObject({ truncated: true })
    const plain = await search('needle')
    expect(plain.text).toContain('needle')
  })
})

describe('a pattern of a rule', () => {
  test.for([
    '**/a/'.repeat(600),
    '*a'.repeat(1500),
    '{a,b}'.repeat(800),
    '{a,'.repeat(1300),
    '**/'.repeat(1200),
    '?*'.repeat(1500),
  ])('Z7 is matched in a time that does not explode: %s', { timeout: 60_000 }, (inner) => {
    const rule = parsePermissionRule(`Edit(${inner}x)`)
    const pattern = parsePathPattern(`${inner}x`)
    if (rule.kind === 'rule' && typeof pattern !== 'string')
      expect(isDeniedPath(pattern, `${'a'.repeat(200)}/${'a/'.repeat(100)}y`)).toBe(false)
  })
})

describe('a repository that a stranger wrote', () => {
  test.for([
    ['a section', (size: number) => `[a.${' '.repeat(size)}`],
    ['a section without an end', (size: number) => `[a${' '.repeat(size)}`],
    ['quotes in a section', (size: number) => `[a.${' "'.repeat(size)}`],
    ['backslashes', (size: number) => `[a "${'\\'.repeat(size)}`],
    ['a value', (size: number) => `[a]\nx=${' "'.repeat(size)}`],
    ['blanks', (size: number) => `a${' '.repeat(size)}x`],
  ] as const)('Z7 has its config read in a time that grows with its length: %s', ([, make]) => {
    expect(growth(make, 3_000, parseGitConfig)).toBeLessThan(linear)
  })

  test('Z7 has its pointer read in a time that grows with its length', () => {
    const folder = temporaryFolder({ '.git': `gitdir: x${'\n'.repeat(4_000_000)}y` })
    expect(gitFoldersOf(folder.path)).toEqual([])
  })

  test('Z7 has its sections understood as git does', () => {
    const text =
      '[core]\n a=1\n[remote "o]r"]\n b=2\n[ Remote.origin ] c=3\n[x "a\\"b"]d=4\n[y  "z" ]\ne=5\n[f . g]\n'
    expect(parseGitConfig(text).map(({ section, key, value }) => `${section}.${key}=${value}`)).toEqual([
      ...['core.a=1', 'remote.b=2', 'remote.c=3', 'x.d=4', 'y.e=5'],
    ])
  })
})
