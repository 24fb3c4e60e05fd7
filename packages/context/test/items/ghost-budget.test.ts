import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { fitItems, stubText } from '../../src/items/budget.js'
import type { ItemContent } from '../../src/items/item-content.js'
import { type AssembledContext, type ContextSettings, lengthTokenCounter } from '../support/engine.js'
import { MemoryWorkspace, portsOf } from '../support/memory-workspace.js'
import {
  Conversation,
  CountingTools,
  ghostOf,
  newestText,
  settingsWith,
  warningsOf,
  wire,
} from '../support/session.js'

/** A window of 2000 tokens leaves the block 1000, of three characters each. */
const small = settingsWith({ contextWindow: 2000, ghost: { format: 'json' } })
const of = (tokens: number) => 'x'.repeat(tokens * 3)

describe('stubs', () => {
  const file = { id: 'file:a.ts', type: 'file', key: 'a.ts', content: of(800) } as const
  const tool = { id: 'tool:t{}', type: 'tool', key: 't{}', content: of(800) } as const

  /** The stub of an item that was mentioned in cell 3 while another cell is built, and what the user hears. */
  function stubIn(currentCell: number, content: ItemContent) {
    const { items, warnings } = fitItems([{ content, cell: 3, lastCell: 3 }], {
      limit: 100,
      frame: 0,
      tokensOf: (item) => item.content.length,
      stubOf: (item, tokens, isCurrent) => ({ ...item, content: stubText(item, tokens, isCurrent) }),
      currentCell,
    })
    return { stub: items[0]?.content.content, warning: warnings[0]?.message }
  }

  test('G7 an item of an earlier message comes back when it is mentioned again', () => {
    expect(stubIn(4, file)).toEqual({
      stub: expect.stringMatching(/Mention @\[a\.ts\] again, or pin it, to see it\.$/),
      warning: expect.stringMatching(/mention it again, pin it, or raise the budget$/),
    })
  })

  test('G7 an item of the current message would not: its stub asks to mention fewer lines or to raise the budget', () => {
    const { stub, warning } = stubIn(3, file)
    expect(stub).toMatch(/@\[a\.ts:START:END\] or to raise ghost\.budget or contextWindow\.$/)
    expect(warning).toMatch(/mention fewer lines of it, pin it, or raise ghost\.budget or contextWindow$/)
    expect(`${stub} ${warning}`).not.toContain('again')
    expect(stubIn(3, { ...file, key: 'a.ts:1:900' }).stub).toMatch(/mention fewer lines or to raise/)
    expect(stubIn(3, tool).stub).toMatch(/Call the tool for less, or ask the user to raise ghost\.budget/)
    expect(stubIn(3, tool).warning).toMatch(/ask the tool for less, pin it/)
  })
})

describe('the budget of the block', () => {
  test('G7 by default the block may take half the window', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': of(900), 'b.ts': of(120) }), {
      settings: small,
    })
    expect(stubs(await talk.ask('@[a.ts]'))).toEqual([])
    expect(stubs(await talk.ask('@[b.ts]'))).toEqual(['a.ts'])
  })

  test('G7 the share is a setting', async () => {
    const settings = settingsWith({ contextWindow: 2000, ghost: { budget: 0.6 } })
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': of(900), 'b.ts': of(120) }), { settings })
    await talk.ask('@[a.ts]')
    expect(stubs(await talk.ask('@[b.ts]'))).toEqual([])
  })

  test('G7 the longest-unused items are left out first', async () => {
    const talk = new Conversation(
      new MemoryWorkspace({ 'a.ts': of(300), 'b.ts': of(300), 'c.ts': of(300), 'd.ts': of(300) }),
      { settings: small },
    )
    await talk.ask('@[a.ts]')
    await talk.ask('@[b.ts]')
    await talk.ask('@[a.ts] again, so b.ts is now the longest unused')
    await talk.ask('@[c.ts]')
    expect(stubs(await talk.ask('@[d.ts]'))).toEqual(['b.ts'])
  })

  test('G7 among items of one round the larger is left out first, and no more items than needed', async () => {
    const talk = new Conversation(
      new MemoryWorkspace({ 'a.ts': of(200), 'b.ts': of(500), 'c.ts': of(200), 'd.ts': of(300) }),
      { settings: small },
    )
    await talk.ask('@[a.ts] @[b.ts] @[c.ts]')
    expect(stubs(await talk.ask('@[d.ts]'))).toEqual(['b.ts'])
  })

  test('G7 items of the current prompt are left out last, and only if necessary', async () => {
    const talk = new Conversation(
      new MemoryWorkspace({ 'a.ts': of(100), 'b.ts': of(1100), 'c.ts': of(90) }),
      {
        settings: small,
      },
    )
    await talk.ask('@[a.ts]')
    const request = await talk.ask('@[b.ts] @[c.ts]')
    expect(stubs(request)).toEqual(['a.ts', 'b.ts'])
    expect(ghostOf(request).files['c.ts']).toBe(of(90))
  })

  test('G7 rules and pinned items stay, whatever they cost, and a warning says so', async () => {
    const workspace = new MemoryWorkspace({
      '.mutsumi/rules/r.md': of(700),
      'a.ts': of(700),
      'b.ts': of(700),
    })
    const talk = new Conversation(workspace, { settings: small })
    talk.act({ act: 'pin', type: 'file', key: 'a.ts' })
    const request = await talk.ask('@[a.ts] @[b.ts]')
    expect(stubs(request)).toEqual(['b.ts'])
    const block = ghostOf(request)
    expect(block.rules[0]?.content).toBe(of(700))
    expect(block.files['a.ts']).toBe(of(700))
    const told = warningsOf(request, 'ghost-budget')
    expect(told).toHaveLength(2)
    expect(told[0]).toContain('b.ts')
    expect(told[1]).toMatch(/rules.*pinned.*1000/)
  })

  test('G7 a stub says what is left out and how to get it back', async () => {
    const tools = new CountingTools(() => of(800))
    const workspace = new MemoryWorkspace({ 'src/a.ts': of(800), 'b.ts': of(900) })
    const talk = new Conversation(portsOf(workspace, tools), { settings: small })
    await talk.ask('@[src/a.ts]')
    await talk.ask('@[t{"x":1}]')
    const block = ghostOf(await talk.ask('@[b.ts]'))
    expect(block.files['src/a.ts']).toMatch(
      /^> Left out .* \(about 8\d\d tokens\)\. Mention @\[src\/a\.ts\] again, or pin it, to see it\.$/,
    )
    expect(block.tools).toMatchObject([{ name: 't', args: { x: 1 } }])
    expect(block.tools[0]?.result).toMatch(/^> Left out .* Call the tool again, or pin it, to see it\.$/)
  })

  test('G7 a warning names the items that are left out', async () => {
    const talk = new Conversation(
      new MemoryWorkspace({ 'a.ts': of(600), 'b.ts': of(600), 'c.ts': of(600) }),
      {
        settings: small,
      },
    )
    await talk.ask('@[a.ts] @[b.ts]')
    const told = warningsOf(await talk.ask('@[c.ts]'), 'ghost-budget')
    expect(told).toHaveLength(2)
    expect(told.join()).toMatch(/a\.ts.*b\.ts/)
  })

  test('G7 doing what the stub says brings the item back', async () => {
    const tools = new CountingTools(() => of(800))
    const workspace = new MemoryWorkspace({ 'a.ts': of(800), 'b.ts': of(800) })
    const talk = new Conversation(portsOf(workspace, tools), { settings: small })
    await talk.ask('@[a.ts]')
    await talk.ask('@[b.ts]')
    const mentioned = await talk.ask('@[a.ts]')
    expect(ghostOf(mentioned).files['a.ts']).toBe(of(800))
    expect(stubs(mentioned)).toEqual(['b.ts'])
    talk.act({ act: 'pin', type: 'file', key: 'b.ts' })
    const pinned = await talk.ask('and?')
    expect(ghostOf(pinned).files['b.ts']).toBe(of(800))
    await talk.ask('@[t{}]')
    talk.act({ act: 'unpin', type: 'file', key: 'b.ts' })
    await talk.ask('@[a.ts]')
    expect(ghostOf(await talk.ask('@[t{}]')).tools[0]?.result).toBe(of(800))
  })

  test('G7 an item smaller than its stub is never replaced by it', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'tiny', 'b.ts': of(990) })
    const talk = new Conversation(workspace, { settings: small })
    await talk.ask('@[a.ts]')
    expect(ghostOf(await talk.ask('@[b.ts]')).files['a.ts']).toBe('tiny')
  })

  test('G7 another process leaves out the same items', async () => {
    const talk = new Conversation(
      new MemoryWorkspace({ 'a.ts': of(600), 'b.ts': of(600), 'c.ts': of(300) }),
      {
        settings: small,
      },
    )
    await talk.ask('@[a.ts] @[c.ts]')
    await talk.ask('@[b.ts]')
    const here = wire(await talk.preview('and?'))
    talk.resume()
    expect(wire(await talk.preview('and?'))).toEqual(here)
  })

  test.each(['json', 'raw'] as const)('G7 the %s block stays within its budget', async (format) => {
    const sizes = fc.array(fc.nat(400), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1500, max: 6000 }), async (tokens, contextWindow) => {
        const settings = settingsWith({ contextWindow, ghost: { format } })
        const request = await mentionAll(tokens, settings)
        const budget = contextWindow / 2
        const over = warningsOf(request, 'ghost-budget').some((message) => message.includes('allows'))
        const block = request.layers.ghost.reduce((sum, text) => sum + lengthTokenCounter.count(text), 0)
        if (!over) expect(block).toBeLessThanOrEqual(budget)
        // It may only be over where there is nothing left to leave out.
        else for (const { content } of request.items) expect(content.content.length).toBeLessThan(500)
      }),
      { numRuns: runs(100) },
    )
  })
})

/** One round per file, each of that many tokens; the request of the round after them. */
async function mentionAll(tokens: readonly number[], settings: ContextSettings): Promise<AssembledContext> {
  const files = Object.fromEntries(tokens.map((size, index) => [`f${index}.ts`, of(size)]))
  const talk = new Conversation(new MemoryWorkspace(files), { settings })
  for (const name of Object.keys(files)) talk.insertCell(talk.session.cells.length, { content: `@[${name}]` })
  return talk.preview('and?')
}

/** The files that are left out, by what the block shows. */
function stubs(request: AssembledContext): string[] {
  const shown = Object.entries(
    newestText(request).includes('<content_reference>') ? ghostOf(request).files : {},
  )
  const left = shown.filter(([, content]) => content.startsWith('> Left out')).map(([key]) => key)
  expect(request.items.filter(({ stub }) => stub).map(({ content }) => content.key)).toEqual(left)
  return left
}
