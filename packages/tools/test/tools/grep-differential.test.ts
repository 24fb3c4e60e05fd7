import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createToolRunner, Workspace } from '../../src/index.js'
import { createGrep } from '../../src/tools/grep.js'
import { temporaryFolder } from '../support/temporary-folder.js'

// Both engines look at the same generated trees with the same generated questions. What the fallback is known
// not to share is not asked: `\b` beside letters that are not ASCII, a lone carriage return, bytes that are
// not UTF-8, and the few Rust constructs that it refuses.

const paths = [
  ...['a.ts', 'b.ts', 'c.log', 'é.md', '[id].tsx', '.hidden', '.github/ci.yml', 'a/x.ts', 'a/y.log'],
  ...['a/b/z.ts', 'a/b/.env', 'a/b/c/w.js', 'a-b/v.ts', 'build/out.ts', 'a/build/out.js'],
  ...['node_modules/m/index.js', 'a/node_modules/n.js', '.git/config'],
]

const rules = [
  '*.log',
  '!y.log',
  'build/',
  '/a/b',
  'b/',
  'x.*',
  '!x.ts',
  '/build',
  '**/c/**',
  '.env',
  '!.env',
]

const word = fc.string({ unit: fc.constantFrom(...'abAB1_ .é日'), maxLength: 8 })

const content = fc
  .tuple(
    fc.array(word, { maxLength: 6 }),
    fc.constantFrom('\n', '\n', '\r\n'),
    fc.constantFrom('', '\n'),
    fc.constantFrom('', '', '', '\ufeff'),
    fc.constantFrom('', '', '', '', '', '\0'),
  )
  .map(([lines, separator, end, mark, binary]) => mark + lines.join(separator) + binary + end)

const tree = fc.record({
  files: fc.uniqueArray(fc.tuple(fc.constantFrom(...paths), content), {
    minLength: 3,
    selector: ([path]) => path,
  }),
  ignoreFiles: fc.uniqueArray(
    fc.tuple(
      fc.constantFrom('.gitignore', 'a/.gitignore', 'a/b/.gitignore'),
      fc.array(fc.constantFrom(...rules), { maxLength: 3 }),
    ),
    { maxLength: 2, selector: ([path]) => path },
  ),
})

const atom = fc.constantFrom(
  ...['a', 'b', 'A', '1', 'é', '日', '.', ' ', '\\.', '\\w', '\\W', '\\d', '\\D', '\\s', '\\S', '_'],
  ...['[ab]', '[^a]', '[a-c1]', '[\\d_]', '[\\w.]', '[[:alpha:]]', '[]a]', '\\p{L}', '\\x61', '\\u{65e5}'],
)
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc
    .tuple(
      fc.oneof(
        { maxDepth: 2 },
        atom,
        atom,
        tie('pattern').map((inner) => `(?:${inner})`),
      ),
      fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '*?'),
    )
    .map((parts) => parts.join('')),
  pattern: fc
    .tuple(
      fc.constantFrom('', '', '^', '(?i)'),
      fc.array(tie('piece'), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '', '$', '|a', '|^$'),
    )
    .map(([start, pieces, end]) => start + pieces.join('') + end),
}))

const question = fc.record(
  {
    pattern,
    path: fc.constantFrom('.', 'a', 'a/b', 'build', 'a.ts', 'node_modules'),
    include: fc.constantFrom(
      ...['*.ts', '*', '**', '*.{ts,js}', 'a/**', 'b/*.ts', '[id].tsx', '.*', '.github/*', '?.md', '**/b/**'],
      ...['node_modules/**', '{a,b}.ts', '*.log', 'x.*'],
    ),
    case_sensitive: fc.boolean(),
    context_lines: fc.nat(2),
    limit: fc.constantFrom(1, 2, 5, 100),
  },
  { requiredKeys: ['pattern'] },
)

const allowedNames = fc.constantFrom<readonly string[]>(['.'], ['.'], ['.'], ['a', 'build'], ['a/b', 'a.ts'])

test('T4 the fallback gives the same answers as ripgrep', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(tree, question, allowedNames, async ({ files, ignoreFiles }, args, names) => {
      const folder = temporaryFolder(Object.fromEntries(files))
      folder.write(Object.fromEntries(ignoreFiles.map(([path, lines]) => [path, lines.join('\n')])))
      const workspace = new Workspace({ root: folder.path })
      const allowed = names.map(folder.at)
      const run = async (tool: ReturnType<typeof createGrep>) => {
        const result = await createToolRunner({ workspace, tools: [tool] }).run(
          { name: 'Grep', args },
          { allowed },
        )
        const { fallback, ...data } = result.data
        const code = result.status === 'error' ? result.error.code : undefined
        return { fallback, answer: { data, code } }
      }
      const real = await run(createGrep())
      const ours = await run(createGrep({ findRipgrep: () => Promise.reject(new Error('none')) }))
      expect(real.fallback).toBeUndefined()
      if (ours.answer.code === undefined) expect(ours.fallback).toBe(true)
      expect(ours.answer).toEqual(real.answer)
      if (JSON.stringify(real.answer.data).includes('"line"')) found++
    }),
    { numRuns: process.env.MUTSUMI_LONG === '1' ? 3000 : 150 },
  )
  // Two engines that find nothing agree too.
  expect(found).toBeGreaterThan(10)
})
