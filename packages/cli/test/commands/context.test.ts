import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])

test('H4 context uses the window of the model that a run would ask, unless one is set', async () => {
  const folder = makeFolder({})
  const windowWith = async (args: readonly string[], env: Record<string, string> = {}) =>
    (await runJson(folder, ['context', 'hi', ...args], { env })).tokens.window
  expect(await windowWith([])).toBe(200_000)
  expect(await windowWith(['--model', 'openai/gpt-4o'])).toBe(128_000)
  expect(await windowWith([], { MUTSUMI_MODEL: 'openai/gpt-4o' })).toBe(128_000)
  expect(await windowWith([], { GEMINI_API_KEY: 'k'.repeat(30) })).toBe(200_000)
  expect(await windowWith(['--model', 'openai/gpt-5.5', '-c', 'contextWindow=9000'])).toBe(9000)
  expect(await windowWith(['--model', 'openai-compatible/own'])).toBe(200_000)
})

test('H1 context --json gives the exact request and the tokens of each part', async () => {
  const folder = makeFolder({
    'CODE_LAW.md': 'Be kind.',
    'src/a.ts': 'const a = 1\n',
    '.mutsumi/rules/style.md': 'Tabs.',
  })
  const report = await runJson(folder, ['context', '-c', 'ghost.format=json', 'look at @[src/a.ts]'])
  expect(Object.keys(report)).toEqual([
    'workspace',
    'model',
    'messages',
    'sent',
    'allowedUris',
    'isSubAgent',
    'items',
    'projectRules',
    'tokens',
    'warnings',
  ])
  expect(report.model).toBe('offline')
  expect(report.sent).toEqual({ cacheAfter: [0, 1, 2] })
  expect(report.messages.map((message: { role: string }) => message.role)).toEqual([
    'system',
    'system',
    'user',
  ])
  expect(report.messages[1].content).toBe('Project rules (CODE_LAW.md):\n\nBe kind.')
  expect(report.messages[2].content).toBe(
    'look at @[src/a.ts]\n\n<content_reference>\n{"rules":[{"name":"style.md","content":"Tabs."}],"files":{"src/a.ts":"const a = 1\\n"},"tools":[]}\n</content_reference>',
  )
  expect(report.items).toEqual([
    {
      type: 'rule',
      key: 'style.md',
      cell: null,
      bytes: 5,
      tokens: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    {
      type: 'file',
      key: 'src/a.ts',
      cell: 0,
      bytes: 12,
      tokens: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ])
  const { total, byLayer, window, threshold } = report.tokens
  expect(Object.keys(byLayer)).toEqual(['L1', 'L2', 'L3', 'user', 'ghost', 'todo'])
  expect(total).toBe(Object.values<number>(byLayer).reduce((sum, tokens) => sum + tokens, 0))
  expect({ window, threshold }).toEqual({ window: 200_000, threshold: 160_000 })
  expect(report.allowedUris).toEqual([`file://${folder}`])
})

test('H1 context draws the layers and items with a bar, and warnings on standard error', async () => {
  const folder = makeFolder({ 'src/a.ts': 'x'.repeat(3000), 'b.ts': 'b' })
  const { code, stdout, stderr } = await run(folder, ['context', '@[src/a.ts] @[b.ts] @[gone.ts]'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}L1 {2}system prompt +\d \d{3} {2}[█▉▊▋▌▍▎▏]+/m)
  expect(stdout).toMatch(/^ {2}file src\/a\.ts +1 \d\d\d {2}█{24} {2}cell 0$/m)
  expect(stdout).toMatch(/^ {2}file gone\.ts +\d+ {2}[█▉▊▋▌▍▎▏]+ +cell 0, error$/m)
  expect(stderr).toBe('prompt:1:21: warning: gone.ts: not found [include-failed]\n')
})

test('H1 context --messages prints the messages themselves', async () => {
  const { stdout } = await run(makeFolder(), ['context', 'hello there', '--messages'])
  expect(stdout).toContain('── user ──\nhello there\n')
})

test('H1 context reads the prompt from standard input', async () => {
  const folder = makeFolder({ 'a.ts': 'A' })
  const report = await runJson(folder, ['context'], { input: 'from a pipe @[a.ts]' })
  expect(report.messages.at(-1).content).toContain('from a pipe @[a.ts]\n\n<content_reference>')
  expect((await runJson(folder, ['context', '-'], { input: 'dash' })).messages.at(-1).content).toBe('dash')
})

test('H1 context continues a session, and --cell builds one of its cells', async () => {
  const folder = makeFolder({
    'a.ts': 'A',
    'b.ts': 'B',
    'session.json': JSON.stringify({
      metadata: { parent_agent_id: 'p', macroContext: { WHO: 'Ann' } },
      cells: [
        {
          content: 'first @[a.ts]',
          metadata: { mutsumi_interaction: [{ role: 'assistant', content: 'ok' }] },
        },
        { content: 'second @[b.ts]' },
      ],
    }),
  })
  const next = await runJson(folder, ['context', 'third', '--session', 'session.json'])
  expect(
    next.messages.slice(1).map((message: { content: string }) => message.content.split('\n')[0]),
  ).toEqual(['first @[a.ts]', 'ok', 'second @[b.ts]', 'third'])
  expect(next.items.map((item: { key: string; cell: number }) => [item.key, item.cell])).toEqual([
    ['a.ts', 0],
    ['b.ts', 1],
  ])
  expect(next.isSubAgent).toBe(true)
  const again = await runJson(folder, ['context', '--session', 'session.json', '--cell', '0'])
  expect(
    again.messages.slice(1).map((message: { content: string }) => message.content.split('\n')[0]),
  ).toEqual(['first @[a.ts]'])
  const newest = await runJson(folder, ['context', '--session', 'session.json'])
  expect(newest.messages.at(-1).content).toContain('second @[b.ts]')
})

test('H1 context changes nothing: not the session file, not the workspace', async () => {
  const text = JSON.stringify({ cells: [{ content: '#define A 1\n@[a.ts]' }] })
  const folder = makeFolder({ 'a.ts': 'A', 'session.json': text })
  await run(folder, ['context', 'go', '--session', 'session.json'])
  expect(readFileSync(join(folder, 'session.json'), 'utf8')).toBe(text)
})

test('S6 H1 context runs read-only tools of the prompt and notes that others did not run', async () => {
  const folder = makeFolder({ 'src/a.ts': 'one\ntwo\n' })
  const prompt =
    '@[LS{"path":"src"}] @[Read{"path":"src/a.ts","limit":1}] @[Bash{"command":"touch pwned"}] @[ls{"path":"."}]'
  const report = await runJson(folder, ['context', '-c', 'ghost.format=json', prompt])
  const block = JSON.parse(report.messages.at(-1).content.split('\n').at(-2))
  const results = Object.fromEntries(
    block.tools.map((tool: { name: string; result: string }) => [tool.name, tool.result]),
  )
  expect(results.LS).toContain('a.ts')
  expect(results.Read).toContain('one')
  expect(results.Read).not.toContain('two')
  expect(results.Bash).toMatch(/^> Bash was not run: this is a preview/)
  expect(existsSync(join(folder, 'pwned'))).toBe(false)
  expect(results.ls).toBe('[DIR] src')
})

test('S5 H1 a tool call in a file does not run until the workspace is trusted', async () => {
  const folder = makeFolder({ 'a.md': '@[LS{"path":"."}]', 'b.ts': '' })
  const untrusted = await runJson(folder, ['context', '@[a.md]'])
  expect(untrusted.messages.at(-1).content).toContain(
    'LS was not run: the call is in a file, and this workspace is not trusted',
  )
  expect(untrusted.warnings.map((warning: { code: string }) => warning.code)).toEqual(['tool-not-run'])
  const trusted = await runJson(folder, ['context', '@[a.md]', '--trust'])
  expect(trusted.messages.at(-1).content).toContain('b.ts')
})

test('I1 R1 H1 context sends pictures as parts, written as Markdown or as a reference', async () => {
  const folder = makeFolder({ 'shot.png': png, 'my pic.png': png })
  const report = await runJson(folder, ['context', 'a ![x](shot.png) b ![y](my%20pic.png) @[shot.png]'])
  expect(
    report.messages.at(-1).content.map((part: { type: string; text?: string }) => part.text ?? part.type),
  ).toEqual(['a ', 'image_url', ' b ', 'image_url', ' @[shot.png]', 'image_url'])
})

test('H1 context accepts settings with -c and macros with -D', async () => {
  const folder = makeFolder({ 'a.ts': 'A', 'RULES.md': 'rule text', '.mutsumi/rules/r.md': 'for {{WHO}}' })
  const report = await runJson(folder, [
    'context',
    '@[{{FILE}}]',
    '-D',
    'FILE=a.ts',
    '-D',
    'WHO=Ann',
    '-c',
    'ghost.format=raw',
    '-c',
    'rules.placement=system',
    '-c',
    'projectRules=RULES.md',
    '-c',
    'contextWindow=1000',
  ])
  expect(report.messages[1].content).toBe(
    'Project rules (RULES.md):\n\nrule text\n\nProject rules (r.md):\n\nfor Ann',
  )
  expect(report.messages.at(-1).content).toMatch(/"files":\{"a\.ts":\{"raw":1\}\}.*\n=====\w+ 1\nA\n/)
  expect(report.tokens.window).toBe(1000)
})

test('G8 H1 context previews what dropping and pinning would do', async () => {
  const folder = makeFolder({ 'a.ts': 'A', 'b.ts': 'B', 'c.ts': 'C' })
  const report = await runJson(folder, ['context', '@[a.ts] @[b.ts]', '--drop', 'a.ts', '--pin', 'c.ts'])
  expect(report.messages.at(-1).content).toMatch(/1\nB\n=+\w+ 2\nC\n/)
  expect(
    report.items.map((item: { key: string; pinned?: true; dropped?: true }) => [
      item.key,
      item.pinned ?? item.dropped,
    ]),
  ).toEqual([
    ['b.ts', undefined],
    ['c.ts', true],
    ['a.ts', true],
  ])
})

test('H1 a session from a stranger cannot make context read outside the workspace', async () => {
  const outside = makeFolder({ 'secret.txt': 'SECRET' })
  const session = {
    metadata: { allowed_uris: ['file:///', outside] },
    cells: [{ content: `@[${outside}/secret.txt]` }],
  }
  const folder = makeFolder({ 'session.json': JSON.stringify(session) })
  const { stdout } = await run(folder, ['context', 'go', '--session', 'session.json', '--json'])
  expect(stdout).not.toContain('SECRET')
  expect(stdout).toContain('> Error including')
  const trusted = await run(folder, ['context', 'go', '--session', 'session.json', '--json', '--trust'])
  expect(trusted.stdout).not.toContain('SECRET')
})

test.for([
  ['no prompt', ['context'], 2, /there is no prompt/],
  ['a blank prompt', ['context', '  '], 2, /the prompt is blank/],
  [
    'a session without a bottom',
    ['context', 'x', '--session', 'deep.json'],
    1,
    /nested more than 500 levels/,
  ],
  [
    'a session that is not there',
    ['context', 'x', '--session', 'gone.json'],
    1,
    /no session "gone\.json": no such file/,
  ],
  ['a session that is not JSON', ['context', 'x', '--session', 'bad.json'], 1, /bad\.json is not valid JSON/],
  ['a session of another form', ['context', 'x', '--session', 'list.json'], 1, /it must be a JSON object/],
  [
    'a cell without content',
    ['context', 'x', '--session', 'cell.json'],
    1,
    /cells\[1\] needs "content", a string/,
  ],
  ['an act nobody knows', ['context', 'x', '--session', 'act.json'], 1, /acts\[0\] needs "act"/],
  [
    'a cell out of range',
    ['context', 'x', '--session', 'ok.json', '--cell', '7'],
    2,
    /the session has 1 cells/,
  ],
  ['a cell that is not a number', ['context', 'x', '--cell', '-1'], 2, /whole number/],
  ['an unknown setting', ['context', 'x', '-c', 'ghost.fromat=raw'], 2, /did you mean ghost\.format\?/],
  ['a setting without a value', ['context', 'x', '-c', 'compactAt'], 2, /compactAt has no value/],
  [
    'a wrong value',
    ['context', 'x', '-c', 'ghost.placement=old'],
    2,
    /takes auto or appended or newest, not "old"/,
  ],
  ['a share out of range', ['context', 'x', '-c', 'ghost.budget=2'], 2, /a share between 0 and 1/],
  ['a file as workspace', ['context', 'x', '-C', 'ok.json'], 1, /is not a folder/],
] as const)('H1 context answers %s with a message and an exit code', async ([, args, code, message]) => {
  const folder = makeFolder({
    'deep.json': `{"cells":[{"content":"a","metadata":{"d":${'['.repeat(60_000)}${']'.repeat(60_000)}}}]}`,
    'bad.json': '{"cells": [',
    'list.json': '[]',
    'cell.json': '{"cells":[{"content":"a"},{"text":"b"}]}',
    'act.json': '{"cells":[],"acts":[{"act":"burn"}]}',
    'ok.json': '{"cells":[{"content":"a"}]}',
  })
  const result = await run(folder, args)
  expect(result.code).toBe(code)
  expect(result.stderr).toMatch(message)
  expect(result.stdout).toBe('')
})

test('H1 context --json escapes control characters', async () => {
  const folder = makeFolder({ 'a.ts': 'red \u001b[31m csi \u009b1m bidi \u202e' })
  const { stdout } = await run(folder, ['context', '@[a.ts]', '--json', '-c', 'ghost.format=json'])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  expect(stdout).not.toMatch(/[\u001b\u0080-\u009f\u202e]/)
  expect(JSON.parse(JSON.parse(stdout).messages.at(-1).content.split('\n').at(-2)).files['a.ts']).toBe(
    'red \u001b[31m csi \u009b1m bidi \u202e',
  )
})

test('H1 context works if the workspace itself is reached through a link', async () => {
  const folder = makeFolder({ 'real/a.ts': 'A' })
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  const report = await runJson(folder, ['context', '@[a.ts]', '-C', 'link'])
  expect(report.items.map((item: { key: string; error?: true }) => [item.key, item.error])).toEqual([
    ['a.ts', undefined],
  ])
})

test('H1 context survives hostile names', async () => {
  const folder = makeFolder()
  const names = ['new\nline.ts', '__proto__', '</content_reference>'.replace('/', ''), '文件.ts', '[id].ts']
  mkdirSync(join(folder, 'd'))
  for (const name of names) writeFileSync(join(folder, 'd', name), 'content')
  const report = await runJson(folder, ['context', '@[d/**/*] @[d]'])
  expect(report.items.filter((item: { error?: true }) => item.error)).toEqual([])
  expect(report.items.map((item: { key: string }) => item.key).sort()).toEqual(
    [...names.map((name) => `d/${name}`), 'd'].sort(),
  )
  expect(report.messages.at(-1).content.match(/<content_reference>/g)).toHaveLength(1)
})

test('L2 L3 H1 rules apply to a session that may read only a part of the workspace', async () => {
  const folder = makeFolder({
    'CODE_LAW.md': 'the law',
    '.mutsumi/rules/r.md': 'a rule',
    'src/a.ts': 'A',
    'b.ts': 'B',
  })
  writeFileSync(
    join(folder, 's.json'),
    JSON.stringify({ metadata: { allowed_uris: [join(folder, 'src')] }, cells: [] }),
  )
  const report = await runJson(folder, ['context', '@[src/a.ts] @[b.ts]', '--session', 's.json'])
  expect(report.messages[1].content).toContain('the law')
  expect(report.items.map((item: { key: string; error?: true }) => [item.key, item.error === true])).toEqual([
    ['r.md', false],
    ['src/a.ts', false],
    ['b.ts', true],
  ])
})

test('H1 context reads a session that begins with a byte order mark', async () => {
  const folder = makeFolder({ 's.json': '\ufeff{"cells":[{"content":"hello"}]}' })
  expect((await runJson(folder, ['context', '--session', 's.json'])).messages.at(-1).content).toBe('hello')
})

test('H1 context takes "-" as a prompt from standard input, even an empty one', async () => {
  expect((await runJson(makeFolder(), ['context', '-'])).messages.at(-1).content).toBe('')
})

test('H1 context shows a hundred warnings and says how many more there are', async () => {
  const prompt = Array.from({ length: 120 }, (_, index) => `@[gone-${index}]`).join(' ')
  const { stderr } = await run(makeFolder(), ['context', prompt])
  expect(stderr.trimEnd().split('\n')).toHaveLength(101)
  expect(stderr).toContain('… and 20 more warnings; --json shows them all')
})

test('M6 H1 a document with only broken commands gives a request', async () => {
  const folder = makeFolder({ 'bomb.md': '@{'.repeat(131_072) })
  const { code, stderr } = await run(folder, ['context', 'x @[bomb.md]'])
  expect(code).toBe(0)
  expect(stderr).toContain('more warnings')
})

test('B2 H1 a session with messages without content, or with unknown roles, gives a request', async () => {
  const interaction = [
    { role: 'assistant', content: null },
    { role: '\u001b]0;pwned\u0007', content: 'x' },
    { role: 'assistant', content: 5 },
    { role: 'assistant', content: [null] },
    { role: 'assistant', content: 'fine' },
  ]
  const session = { cells: [{ content: 'a', metadata: { mutsumi_interaction: interaction } }] }
  const folder = makeFolder({ 's.json': JSON.stringify(session) })
  const report = await runJson(folder, ['context', 'b', '--session', 's.json'])
  expect(report.messages.slice(1).map((message: { content: string }) => message.content)).toEqual([
    'a',
    'x',
    '5',
    'fine',
    'b',
  ])
})

test('G8 H1 --drop takes one key and leaves the prompt alone', async () => {
  const folder = makeFolder({ 'a.ts': 'A', 'b.ts': 'B' })
  const report = await runJson(folder, ['context', '--drop', 'a.ts', '--drop', 'b.ts', '@[a.ts] @[b.ts]'])
  expect(report.messages.at(-1).content).toBe('@[a.ts] @[b.ts]')
})
