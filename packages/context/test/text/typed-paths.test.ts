import { expect, test } from 'vitest'
import { withPathsFromRoot } from '../../src/parts.js'

/** A workspace by its paths; a folder ends in a slash. */
function typedIn(folder: string, paths: readonly string[]) {
  const kindOf = (path: string) => {
    if (paths.includes(path)) return 'file' as const
    return path === '.' || paths.some((each) => each.startsWith(`${path}/`)) ? ('folder' as const) : undefined
  }
  return { folder, kindOf }
}

const workspace = [
  'README.md',
  'src/root.ts',
  'src/both.ts',
  'packages/web/src/a.ts',
  'packages/web/src/both.ts',
  'packages/web/shot.png',
  'packages/web/my file.ts',
  'packages/api/b.ts',
]

test.each([
  ['a file of this folder', 'See @[src/a.ts].', 'See @[packages/web/src/a.ts].'],
  ['lines of it', '@[src/a.ts:3:9]', '@[packages/web/src/a.ts:3:9]'],
  ['a file of the root alone', '@[src/root.ts] @[README.md]', '@[src/root.ts] @[README.md]'],
  ['a file of both: the nearer one', '@[src/both.ts]', '@[packages/web/src/both.ts]'],
  ['a path from the root', '@[packages/web/src/a.ts]', '@[packages/web/src/a.ts]'],
  ['a path upwards', '@[../api/b.ts] @[../../README.md]', '@[packages/api/b.ts] @[README.md]'],
  ['a path that leaves the workspace', '@[../../../etc/passwd]', '@[../../../etc/passwd]'],
  ['this folder', '@[.] @[./src]', '@[packages/web] @[packages/web/src]'],
  ['a pattern', '@[src/**/*.ts] @[**/*.md]', '@[packages/web/src/**/*.ts] @[packages/web/**/*.md]'],
  ['a pattern in no folder here', '@[docs/*.md]', '@[docs/*.md]'],
  ['an absolute path', '@[/src/a.ts]', '@[/src/a.ts]'],
  ['a macro', '@[{{DIR}}/a.ts]', '@[{{DIR}}/a.ts]'],
  ['a tool', '@[LS{"path":"src"}]', '@[LS{"path":"src"}]'],
  ['a mention', 'Read @src/a.ts, please', 'Read @packages/web/src/a.ts, please'],
  ['a quoted mention', 'Read @"my file.ts"', 'Read @"packages/web/my file.ts"'],
  ['a mention of a folder', 'Ask @src', 'Ask @src'],
  ['nobody', 'Ask @alice', 'Ask @alice'],
  [
    'a picture',
    '![here](shot.png "x") ![web](https://a/b.png)',
    '![here](packages/web/shot.png "x") ![web](https://a/b.png)',
  ],
  ['fenced code', '```\n@[src/a.ts] @src/a.ts\n```', '```\n@[src/a.ts] @src/a.ts\n```'],
  ['no path at all', 'Hello', 'Hello'],
])('R4 H4 in packages/web: %s', (_, prompt, expected) => {
  expect(withPathsFromRoot(prompt, typedIn('packages/web', workspace))).toBe(expected)
})

test('R4 H4 a rewritten path stays as it is', () => {
  const world = typedIn('packages/web', workspace)
  const once = withPathsFromRoot('@[src/a.ts] @src/a.ts ![](shot.png)', world)
  expect(withPathsFromRoot(once, world)).toBe(once)
})

test('R4 H4 a folder whose name could not be written between brackets is left alone', () => {
  const world = typedIn('odd]name', ['odd]name/a.ts'])
  expect(withPathsFromRoot('@[a.ts]', world)).toBe('@[a.ts]')
})

test('R4 H4 at the root nothing is rewritten', () => {
  expect(withPathsFromRoot('@[./src/root.ts]', typedIn('', workspace))).toBe('@[./src/root.ts]')
})
