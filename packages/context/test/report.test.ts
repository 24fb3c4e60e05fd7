import { describe, expect, test } from 'vitest'
import { tokensPerImage } from '../src/ground/token-estimate.js'
import { ContextEngine, lengthTokenCounter, reportContext } from './support/engine.js'
import { MemoryWorkspace, png, portsOf, sha256 } from './support/memory-workspace.js'
import { Conversation, CountingTools, sessionOf, settingsWith, userCell } from './support/session.js'

const rule = '.mutsumi/rules/r.md'

describe('a request with its costs', () => {
  test('B1 the report contains the request as it would be sent', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'a' }))
    talk.session.metadata = { allowed_uris: ['/ws/src'], parent_agent_id: 'p' }
    const context = await talk.preview('@[a.ts] @[gone]')
    const report = reportContext(context, talk.engine)
    expect(report.messages).toBe(context.messages)
    expect(report).toMatchObject({ allowedUris: ['/ws/src'], isSubAgent: true })
    expect(report.warnings).toEqual(context.warnings)
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })

  test('L1 the tokens of the layers add up to the total, each counted from its own text', async () => {
    const workspace = new MemoryWorkspace({ 'CODE_LAW.md': 'the law', 'a.ts': 'a'.repeat(300), [rule]: 'r' })
    const tools = new CountingTools(() => 'x', { prompt: 'Tools: t.' })
    const talk = new Conversation(portsOf(workspace, tools))
    await talk.ask('a question of some length', 'an answer of some length')
    const context = await talk.preview('@[a.ts]')
    const { tokens } = reportContext(context, talk.engine)
    const { count } = lengthTokenCounter
    expect(tokens.byLayer).toEqual({
      L1: count(context.layers.L1),
      L2: count('Project rules (CODE_LAW.md):\n\nthe law'),
      L3: count('a question of some length') + count('an answer of some length'),
      user: count('@[a.ts]'),
      ghost: count(context.layers.ghost.join('')),
      todo: 0,
    })
    expect(tokens.byLayer.ghost).toBeGreaterThan(100)
    expect(tokens.total).toBe(Object.values(tokens.byLayer).reduce((sum, layer) => sum + layer, 0))
    expect(tokens).toMatchObject({ window: 200_000, threshold: 160_000 })
  })

  test('I1 a picture is counted as a picture, not as its letters', async () => {
    const workspace = new MemoryWorkspace({ 'p.png': new Uint8Array([...png, ...new Uint8Array(100_000)]) })
    const talk = new Conversation(workspace)
    await talk.ask('![p](p.png)', 'ok')
    const { items, tokens } = reportContext(await talk.preview('see @[p.png]'), talk.engine)
    expect(tokens.byLayer.L3).toBe(tokensPerImage)
    expect(tokens.byLayer.user).toBe(tokensPerImage + 4)
    expect(items).toMatchObject([{ type: 'file', key: 'p.png', tokens: tokensPerImage, bytes: 100_012 }])
  })

  test('G7 a total at the threshold is reported, one below is not', async () => {
    const build = async (contextWindow: number) => {
      const talk = new Conversation(new MemoryWorkspace(), { settings: settingsWith({ contextWindow }) })
      const report = reportContext(await talk.preview('hello'), talk.engine)
      return { report, told: report.warnings.filter(({ code }) => code === 'over-threshold') }
    }
    const { total } = (await build(200_000)).report.tokens
    const at = await build(total / 0.8)
    expect(at.told).toHaveLength(1)
    expect(at.told[0]?.message).toContain(String(total))
    expect((await build((total + 2) / 0.8)).told).toEqual([])
  })

  test('G1 the host’s own counter is used for every number', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'abc' })
    const engine = new ContextEngine({ reader: workspace, tokens: { count: (text) => text.length * 10 } })
    const { tokens, items } = reportContext(await engine.assemble(sessionOf(), 0, '@[a.ts]'), engine)
    expect(tokens.byLayer.user).toBe(70)
    expect(items[0]?.tokens).toBeGreaterThanOrEqual('"a.ts":"abc"'.length * 10)
  })
})

describe('the items of a report', () => {
  test('G1 every item says what it is, where it came from and what it costs', async () => {
    const workspace = new MemoryWorkspace({ 'ä.ts': 'ä\n', [rule]: 'the rule' })
    const tools = new CountingTools(() => 'listing')
    const talk = new Conversation(portsOf(workspace, tools))
    talk.session = sessionOf('hello', '@[ä.ts]')
    const report = reportContext(await talk.preview('@[ä.ts] @[LS{"b":1,"a":2}]'), talk.engine)
    expect(report.items).toEqual([
      {
        type: 'rule',
        key: 'r.md',
        cell: null,
        bytes: 8,
        tokens: expect.any(Number),
        hash: sha256('the rule'),
      },
      { type: 'file', key: 'ä.ts', cell: 1, bytes: 3, tokens: expect.any(Number), hash: sha256('ä\n') },
      {
        type: 'tool',
        key: 'LS{"a":2,"b":1}',
        cell: 2,
        bytes: 7,
        tokens: expect.any(Number),
        hash: sha256('listing'),
      },
    ])
    for (const { tokens } of report.items) expect(tokens).toBeGreaterThan(0)
  })

  test('G7 marks show why an item is not complete', async () => {
    const settings = settingsWith({ contextWindow: 1600, limits: { fileBytes: 900 } })
    const workspace = new MemoryWorkspace({
      'old.ts': 'o'.repeat(800),
      'long.ts': 'long\n'.repeat(300),
      'pinned.ts': 'p'.repeat(600),
      'dropped.ts': 'd',
    })
    const talk = new Conversation(workspace, { settings })
    talk.session = sessionOf(userCell('@[old.ts] @[dropped.ts] @[pinned.ts]', 'ok'))
    talk.act({ act: 'pin', type: 'file', key: 'pinned.ts' }, { act: 'drop', type: 'file', key: 'dropped.ts' })
    const { items } = reportContext(await talk.preview('@[long.ts] @[gone.ts]'), talk.engine)
    const marks = items.map(({ key, type, cell, bytes, tokens, hash, ...rest }) => [key, rest])
    expect(marks).toEqual([
      ['old.ts', { stub: true }],
      ['pinned.ts', { pinned: true }],
      ['long.ts', { truncated: true }],
      ['gone.ts', { error: true }],
      ['dropped.ts', { dropped: true }],
    ])
  })

  test('G9 the tokens of the items are about those of the block, in either format', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `src/file${index}.ts`,
        `"line"\t${index}\n`.repeat(index * 10),
      ]),
    )
    for (const format of ['json', 'raw'] as const) {
      const talk = new Conversation(new MemoryWorkspace(files), {
        settings: settingsWith({ ghost: { format } }),
      })
      const { items, tokens } = reportContext(await talk.preview('@[src/*.ts]'), talk.engine)
      const sum = items.reduce((total, item) => total + item.tokens, 0)
      expect(items).toHaveLength(20)
      expect(tokens.byLayer.ghost - sum).toBeLessThanOrEqual(40)
      expect(sum).toBeLessThan(tokens.byLayer.ghost * 1.05)
    }
  })
})
