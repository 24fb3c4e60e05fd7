import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ItemAct } from '@mutsumi/schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { makeFolder, run, runJson } from '../support/command.js'
import { modelServer } from '../support/model-server.js'
import { type PlayedRound, playSession } from '../support/played-session.js'
import { bodyOf, chatModel, expectShown, flagsFor, previewHere, requestHere } from '../support/previews.js'

const mcpServer = {
  command: process.execPath,
  args: [join(import.meta.dirname, '../../../tools/test/support/mcp-server.mjs'), 'normal'],
}
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])

const files = {
  'CODE_LAW.md': 'Be kind.',
  'AGENTS.md': 'Tests first.',
  'src/AGENTS.md': 'Only here.',
  'src/a.ts': 'export const a = 1\nexport const b = 2\nexport const c = 3\n',
  'src/b.ts': '// @[a.ts] {{WHO}}\n',
  'doc.md':
    '---\nParams: [WHO]\n---\nFor {{WHO}}:\n@{ifdef STRICT}\nstrictly\n@{endif}\n@[./src/b.ts]\n@[LS{"path":"src"}]\n',
  'shot.png': png,
  '.mutsumi/rules/style.md': 'Tabs, says {{WHO}}.',
  '.mutsumi/rules/list.md': '@{define RULED, "yes"}\n@[LS{"path":"src"}]',
  '.mutsumi/skills/release/SKILL.md':
    '---\nname: release\ndescription: Makes a release\n---\nRelease as {{WHO}}.',
  '.mutsumi/commands/review.md': '---\nParams: [FILE]\n---\nReview {{FILE}}: @[src/b.ts]',
}

const references = [
  'Explain it.',
  'see @[src/a.ts]',
  'see @[./src/a.ts:2:3]',
  '@[src]',
  '@[src/**/*.ts]',
  '@[doc.md]',
  '@[{{FILE}}]',
  '@[gone.ts]',
  '@src/a.ts and @src',
  '![shot](shot.png)',
  '#define WHO Eve',
  '```\n@[src/b.ts]\n```',
  '@[LS{"path":"."}]',
  '@[Read{"path":"src/a.ts","limit":2}]',
  '@[Grep{"pattern":"export"}]',
  '@[Skill{"name":"release"}]',
  '@[Recall{"id":"0123456789abcdef"}]',
  '@[nothing{"x":1}]',
  'Grüße, 世界 <content_reference> {{UNKNOWN}}',
]

const calls: readonly (readonly [string, object])[] = [
  ['Read', { path: 'src/a.ts' }],
  ['Read', { path: 'src/a.ts', start_line: 2, limit: 1 }],
  ['LS', { path: 'src' }],
  ['Grep', { pattern: 'const' }],
  ['Glob', { pattern: '**/*.ts' }],
  ['Write', { path: 'made.ts', content: 'made\n' }],
  ['Edit', { path: 'src/a.ts', old_string: 'a = 1', new_string: 'a = 10' }],
  ['Skill', { name: 'release' }],
  ['TodoWrite', { summary: '', todos: [{ content: 'one', status: 'in_progress' }] }],
  ['TodoWrite', { summary: '', todos: [{ content: 'one', status: 'completed' }] }],
]

const settings = [
  'ghost.format=raw',
  'ghost.budget=0.0001',
  'rules.placement=system',
  'results.form=json',
  'history.rewrite=priced',
  'read.numbers=none',
  'projectRules=AGENTS.md',
  'limits.fileBytes=20',
  'temperature=0.5',
  'maxOutputTokens=77',
]

const acts: readonly ItemAct[] = [
  { act: 'drop', type: 'file', key: 'src/a.ts' },
  { act: 'drop', type: 'rule', key: 'style.md' },
  { act: 'pin', type: 'file', key: 'src/b.ts' },
  { act: 'undo' },
]

const prompt = fc
  .array(fc.constantFrom(...references), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('\n'))

const round: fc.Arbitrary<PlayedRound> = fc.record({
  prompt,
  calls: fc.array(fc.constantFrom(...calls), { maxLength: 3 }),
})

/** A line of a run, and the world it is typed in. */
const line = fc.record({
  prompt: fc.oneof({ weight: 4, arbitrary: prompt }, fc.constant('/review src/a.ts')),
  protocol: fc.constantFrom('react', 'native', 'auto'),
  settings: fc.uniqueArray(fc.constantFrom(...settings), { maxLength: 4 }),
  macros: fc.uniqueArray(fc.constantFrom('WHO=Ann', 'STRICT', 'FILE=src/b.ts'), { maxLength: 3 }),
  rounds: fc.array(round, { maxLength: 3 }),
  acts: fc.array(fc.constantFrom(...acts), { maxLength: 3 }),
  compacted: fc.nat(2),
  hasChanged: fc.boolean(),
  trusts: fc.boolean(),
  servers: fc.oneof({ weight: 3, arbitrary: fc.constant('none') }, fc.constantFrom('user', 'project')),
  flags: fc.uniqueArray(fc.constantFrom('--append-system', '--add-dir', '--output-schema', '--deny'), {
    maxLength: 2,
  }),
  hasUserRules: fc.boolean(),
  session: fc.oneof({ weight: 3, arbitrary: fc.constant('named' as const) }, fc.constantFrom('none', 'new')),
  provider: fc.constantFrom('openai-compatible', 'anthropic', 'openai', 'google'),
  isBinary: fc.boolean(),
})

type Line = typeof line extends fc.Arbitrary<infer Value> ? Value : never

test('W4 the preview of a command line is byte for byte the request that its next run sends', async () => {
  const server = await modelServer((response) => response.writeHead(400).end('{}'))
  await fc.assert(
    fc.asyncProperty(line, async (given) => {
      const model = { ...chatModel(server), provider: given.provider }
      const { folder, flags, env } = await world(given)
      const all = [...flags, ...flagsFor(model)]
      const shown = given.isBinary
        ? await runJson(folder, ['context', '-p', given.prompt, '--request', ...all], { env })
        : await requestHere([given.prompt, '-C', folder, ...all], env)
      const preview = given.isBinary
        ? undefined
        : await previewHere([given.prompt, '-C', folder, ...all], env)
      const before = server.requests.length
      const { stderr } = await run(folder, ['-p', given.prompt, ...all], { env })
      expectShown(shown, server.requests[before], stderr)
      // The messages in our own form lead to the same bytes.
      if (preview) expect(await bodyOf(preview, model)).toBe(shown.body)
    }),
    { numRuns: runs(5) },
  )
}, 0) // As long as it takes: MUTSUMI_LONG asks for many more.

/** A folder in which the session was played, and the flags of the line. */
async function world(given: Line) {
  const project = given.servers === 'project' ? { '.mcp.json': configOf({ s: mcpServer }) } : {}
  const folder = makeFolder({ ...files, ...project })
  const user = given.hasUserRules ? { 'AGENTS.md': 'Mine.', 'rules/own.md': 'Mine, {{WHO}}.' } : {}
  const own = given.servers === 'user' ? { 'config.json': configOf({ s: mcpServer }) } : {}
  const config = makeFolder({ ...user, ...own })
  const session = await playSession(folder, given)
  if (given.hasChanged) {
    writeFileSync(join(folder, 'src/a.ts'), 'changed\n')
    rmSync(join(folder, 'src/b.ts'))
  }
  const flags = [
    ...['-c', `protocol=${given.protocol}`],
    ...given.settings.flatMap((setting) => ['-c', setting]),
    ...given.macros.flatMap((macro) => ['-D', macro]),
    ...given.flags.flatMap(flagOf),
    ...sessionFlags(given, session),
    ...(given.trusts ? ['--trust'] : []),
  ]
  return {
    folder,
    flags,
    env: { MUTSUMI_CONFIG_DIR: config, HOME: makeFolder(), MUTSUMI_API_KEY: secretKey },
  }
}

const secretKey = 'sk-secret-0123456789'

const configOf = (mcpServers: object) => JSON.stringify({ mcpServers })

function flagOf(flag: Line['flags'][number]): readonly string[] {
  switch (flag) {
    case '--append-system':
      return [flag, join(makeFolder({ 'house.md': 'House rules {{WHO}}.' }), 'house.md')]
    case '--add-dir':
      return [flag, makeFolder({ 'x.md': 'X' })]
    case '--output-schema':
      return [flag, join(makeFolder({ 'schema.json': '{"type":"string"}' }), 'schema.json')]
    case '--deny':
      return [flag, 'Read(src/**)']
    default:
      return flag satisfies never
  }
}

function sessionFlags({ session }: Line, path: string): readonly string[] {
  switch (session) {
    case 'named':
      return ['--session', path]
    case 'none':
      return ['--no-session']
    case 'new':
      return []
    default:
      return session satisfies never
  }
}
