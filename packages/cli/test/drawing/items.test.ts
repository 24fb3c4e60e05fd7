import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'

interface Item {
  readonly type: string
  readonly key: string
  readonly pinned?: true
  readonly dropped?: true
  readonly image?: true
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])

function unmatched({ warnings }: { warnings: { code: string; message: string }[] }): string[] {
  return warnings.filter(({ code }) => code === 'unmatched-item').map(({ message }) => message)
}

test('G8 H1 a --drop that names nothing warns and names the nearest key', async () => {
  const folder = makeFolder({ 'src/main.ts': 'A' })
  const report = await runJson(folder, ['context', '@[src/main.ts]', '--drop', 'src/mian.ts'])
  expect(unmatched(report)).toEqual([
    '--drop src/mian.ts does not match an item of this request; did you mean src/main.ts?',
  ])
  expect(report.messages.at(-1).content).toContain('"src/main.ts":{"raw":1}')
  const { stderr } = await run(folder, ['context', '@[src/main.ts]', '--drop', 'zzz'])
  expect(stderr).toBe(
    'command line: warning: --drop zzz does not match an item of this request; the table of items lists them [unmatched-item]\n',
  )
})

test('G8 H1 a --pin of a pattern adds nothing and says what to do', async () => {
  const folder = makeFolder({ 'src/main.ts': 'A' })
  const report = await runJson(folder, ['context', 'hi', '--pin', 'src/*.ts'])
  expect(unmatched(report)).toEqual([
    '--pin takes one item, but src/*.ts is a pattern; mention it as @[src/*.ts] and pin the items that must stay',
  ])
  expect(report.items).toEqual([])
})

test('G8 H1 a --pin that names neither an item nor a file warns and names the nearest key', async () => {
  const folder = makeFolder({ 'src/main.ts': 'A' })
  const report = await runJson(folder, ['context', '@[src/main.ts]', '--pin', 'src/mian.ts'])
  expect(unmatched(report)).toEqual([
    '--pin src/mian.ts matches neither an item nor a readable file; did you mean src/main.ts?',
  ])
  const mentioned = await runJson(folder, ['context', '@[gone.ts]', '--pin', 'gone.ts'])
  expect(unmatched(mentioned)).toEqual([])
  const pattern = await runJson(folder, ['context', '@[src/main.ts]', '--pin', 'src/*.ts'])
  expect(unmatched(pattern)).toHaveLength(1)
})

test('G8 H1 --drop and --pin that match give no warning, in any spelling', async () => {
  const folder = makeFolder({ 'a.ts': 'A', 'b.ts': 'B', 'c.ts': 'C' })
  const args = ['--drop', './a.ts', '--pin', 'x/../b.ts', '--pin', 'c.ts', '--drop', 'LS{ "path": "." }']
  const report = await runJson(folder, ['context', '@[a.ts] @[b.ts] @[LS{"path":"."}]', ...args])
  expect(unmatched(report)).toEqual([])
  expect(
    report.items.map(({ key, pinned, dropped }: Item) => [key, pinned ? 'pinned' : dropped && 'dropped']),
  ).toEqual([
    ['b.ts', 'pinned'],
    ['c.ts', 'pinned'],
    ['a.ts', 'dropped'],
    ['LS{"path":"."}', 'dropped'],
  ])
})

test('G8 H1 --pin of a rule or a tool call pins it, and adds no file with that name', async () => {
  const folder = makeFolder({ '.mutsumi/rules/style.md': 'Tabs.' })
  const args = ['--pin', 'style.md', '--pin', 'LS{"path":"."}']
  const report = await runJson(folder, ['context', '@[LS{"path":"."}]', ...args])
  expect(report.items.map(({ type, key, pinned }: Item) => [type, key, pinned])).toEqual([
    ['rule', 'style.md', true],
    ['tool', 'LS{"path":"."}', true],
  ])
  expect(report.warnings).toEqual([])
})

test('H1 the count of items in the ghost block is right: no picture, no dropped item, no rule of the system prompt', async () => {
  const folder = makeFolder({ 'a.ts': 'A', 'b.ts': 'B', 'p.png': png, '.mutsumi/rules/r.md': 'Tabs.' })
  const args = ['context', '@[a.ts] @[b.ts] @[p.png]', '--drop', 'b.ts']
  const drawn = (await run(folder, args)).stdout
  expect(drawn).toMatch(/^ {2}ghost block .* 2 items$/m)
  expect(drawn).toMatch(/^ {2}file p\.png .* cell 0, picture$/m)
  const system = (await run(folder, [...args, '-c', 'rules.placement=system'])).stdout
  expect(system).toMatch(/^ {2}ghost block .* 1 item$/m)
})

test('H1 the smallest item still shows in its bar', async () => {
  const folder = makeFolder({ 'big.ts': 'x'.repeat(200_000), 's.ts': '' })
  const { stdout } = await run(folder, ['context', '@[big.ts] @[s.ts]'])
  expect(stdout).toMatch(/^ {2}file s\.ts +\d+ {2}▏ +cell 0$/m)
  expect(stdout).toMatch(/^ {2}L2 {2}project rules +0$/m)
})
