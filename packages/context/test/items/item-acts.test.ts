import type { ItemAct } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { foldActs, parseGhostBlock, reportContext } from '../support/engine.js'
import { MemoryWorkspace, png, portsOf } from '../support/memory-workspace.js'
import { Conversation, CountingTools, ghostOf, newest, newestText, settingsWith } from '../support/session.js'

const drop = (key: string) => ({ act: 'drop', type: 'file', key }) as const
const restore = (key: string) => ({ act: 'restore', type: 'file', key }) as const
const pin = (key: string) => ({ act: 'pin', type: 'file', key }) as const
const unpin = (key: string) => ({ act: 'unpin', type: 'file', key }) as const
const undo = { act: 'undo' } as const

function threeFiles() {
  return new Conversation(new MemoryWorkspace({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' }))
}

describe('drop and restore', () => {
  test('G8 a dropped file is not sent, and a restored one is where it was', async () => {
    const talk = threeFiles()
    await talk.ask('@[a.ts] @[b.ts]')
    talk.act(drop('a.ts'))
    expect(ghostOf(await talk.ask('and?')).files).toEqual({ 'b.ts': 'b' })
    talk.act(restore('a.ts'))
    expect(Object.keys(ghostOf(await talk.ask('and?')).files)).toEqual(['a.ts', 'b.ts'])
  })

  test('G8 a dropped item is still listed, so that it can be restored', async () => {
    const talk = threeFiles()
    await talk.ask('@[a.ts] @[b.ts]')
    talk.act(drop('a.ts'))
    const { items } = reportContext(await talk.preview('and?'), talk.engine)
    expect(items.map(({ key, dropped, tokens }) => [key, dropped ?? false, tokens > 0])).toEqual([
      ['b.ts', false, true],
      ['a.ts', true, false],
    ])
  })

  test('G8 a dropped file that is mentioned again stays out, with a warning', async () => {
    const talk = threeFiles()
    await talk.ask('@[a.ts]')
    talk.act(drop('a.ts'))
    expect((await talk.preview('and?')).warnings).toEqual([])
    const { warnings } = await talk.preview('look at @[a.ts] again')
    expect(warnings).toMatchObject([
      { code: 'dropped', source: 'prompt', message: expect.stringContaining('a.ts') },
    ])
  })

  test('G8 an act may name an item in any spelling', async () => {
    const tools = new CountingTools(() => 'answer')
    const talk = new Conversation(portsOf(new MemoryWorkspace({ 'src/a.ts': 'a', 'b.ts': 'b' }), tools))
    talk.act(drop('./src//a.ts'), pin('src/../b.ts'), { act: 'drop', type: 'tool', key: 't{"b":1, "a":2}' })
    const { items } = await talk.preview('@[src/a.ts] @[t{"a":2,"b":1}] @[b.ts]')
    expect(
      items.map(({ content, dropped, pinned }) => [content.key, dropped ?? false, pinned ?? false]),
    ).toEqual([
      ['b.ts', false, true],
      ['src/a.ts', true, false],
      ['t{"a":2,"b":1}', true, false],
    ])
  })

  test('G8 rules and tool results can be dropped, and the answer of a dropped tool is not lost', async () => {
    const tools = new CountingTools((_, count) => `answer ${count}`)
    const workspace = new MemoryWorkspace({ '.mutsumi/rules/r.md': 'r', '.mutsumi/rules/s.md': 's' })
    const talk = new Conversation(portsOf(workspace, tools))
    await talk.ask('@[t{"b":1,"a":2}]')
    talk.act({ act: 'drop', type: 'rule', key: 'r.md' }, { act: 'drop', type: 'tool', key: 't{"a":2,"b":1}' })
    expect(ghostOf(await talk.ask('and?'))).toEqual({
      rules: [{ name: 's.md', content: 's' }],
      files: {},
      tools: [],
    })
    talk.resume()
    talk.act(undo)
    expect(ghostOf(await talk.ask('and?')).tools).toEqual([
      { name: 't', args: { b: 1, a: 2 }, result: 'answer 1' },
    ])
    expect(tools.calls).toHaveLength(1)
  })

  test('G8 a rule in the system layer can be dropped and restored too', async () => {
    const workspace = new MemoryWorkspace({
      '.mutsumi/rules/r.md': 'rule r',
      '.mutsumi/rules/s.md': 'rule s',
    })
    const talk = new Conversation(workspace, { settings: settingsWith({ rules: { placement: 'system' } }) })
    talk.act({ act: 'drop', type: 'rule', key: 'r.md' })
    const dropped = await talk.preview('hello')
    expect(dropped.layers.L2).not.toContain('rule r')
    expect(dropped.layers.L2).toContain('rule s')
    expect(dropped.items.map(({ content, dropped }) => [content.key, dropped ?? false])).toEqual([
      ['s.md', false],
      ['r.md', true],
    ])
    talk.act({ act: 'restore', type: 'rule', key: 'r.md' })
    expect((await talk.preview('hello')).layers.L2).toContain('rule r')
  })

  test('G8 a dropped picture is not sent', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'p.png': png }))
    talk.act(drop('p.png'))
    expect(newest(await talk.preview('@[p.png]')).content).toBe('@[p.png]')
  })

  test('G8 an act names one item of one kind', async () => {
    const workspace = new MemoryWorkspace({ '.mutsumi/rules/a.md': 'rule', 'a.md': 'file' })
    const talk = new Conversation(workspace)
    talk.act(drop('a.md'))
    expect(ghostOf(await talk.preview('@[a.md] @[a.md:1]'))).toMatchObject({
      rules: [{ content: 'rule' }],
      files: { 'a.md:1': 'file' },
    })
  })

  test('G8 with everything dropped there is no block', async () => {
    const talk = threeFiles()
    talk.act(drop('a.ts'))
    expect(newestText(await talk.preview('@[a.ts]'))).toBe('@[a.ts]')
  })
})

describe('pins', () => {
  test('G8 pinning a file that was never mentioned adds it after the mentioned items', async () => {
    const talk = threeFiles()
    await talk.ask('@[a.ts]')
    talk.act(pin('c.ts'), pin('a.ts:1'))
    const request = await talk.preview('@[b.ts]')
    expect(Object.entries(ghostOf(request).files)).toEqual([
      ['a.ts', 'a'],
      ['b.ts', 'b'],
      ['c.ts', 'c'],
      ['a.ts:1', 'a'],
    ])
    const item = reportContext(request, talk.engine).items.find(({ key }) => key === 'c.ts')
    expect(item).toMatchObject({ cell: null, pinned: true })
  })

  test('G8 a pin outlives the cell that mentioned the file, and its file is read from disk like any other', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'old' })
    const talk = new Conversation(workspace)
    await talk.ask('@[a.ts]')
    talk.act(pin('a.ts'))
    talk.deleteCell(0)
    workspace.write('a.ts', 'new')
    talk.resume()
    expect(ghostOf(await talk.preview('and?')).files).toEqual({ 'a.ts': 'new' })
  })

  test('G8 unpinning a file that nothing mentions removes it', async () => {
    const talk = threeFiles()
    talk.act(pin('a.ts'), unpin('a.ts'))
    expect(newestText(await talk.preview('hello'))).toBe('hello')
  })

  test('G8 a pin protects an item from the budget until it is undone', async () => {
    const long = 'x'.repeat(2400)
    const workspace = new MemoryWorkspace({ 'a.ts': long, 'b.ts': long })
    const talk = new Conversation(workspace, { settings: settingsWith({ contextWindow: 2000 }) })
    await talk.ask('@[a.ts]')
    talk.act(pin('a.ts'))
    expect(ghostOf(await talk.ask('@[b.ts]')).files['a.ts']).toBe(long)
    talk.act(undo)
    expect(ghostOf(await talk.ask('@[b.ts]')).files['a.ts']).toMatch(/^> Left out/)
  })

  test('G8 a missing pinned file is shown as an error', async () => {
    const talk = threeFiles()
    talk.act(pin('missing.ts'))
    const request = await talk.preview('hello')
    expect(ghostOf(request).files['missing.ts']).toBe('> Error including missing.ts: not found')
    expect(request.warnings).toMatchObject([{ code: 'include-failed', source: 'pin' }])
  })

  test('G8 a pin does not run a tool again', async () => {
    const tools = new CountingTools(() => 'x')
    const talk = new Conversation(portsOf(new MemoryWorkspace(), tools))
    talk.act({ act: 'pin', type: 'tool', key: 't{}' })
    expect(newestText(await talk.preview('hello'))).toBe('hello')
    expect(tools.calls).toEqual([])
  })

  test('G8 dropping a pinned file leaves it out', async () => {
    const talk = threeFiles()
    talk.act(pin('a.ts'), drop('a.ts'))
    expect(newestText(await talk.preview('hello'))).toBe('hello')
    talk.act(restore('a.ts'))
    expect(ghostOf(await talk.preview('hello')).files).toEqual({ 'a.ts': 'a' })
  })
})

describe('undo', () => {
  test('G8 each undo takes back the newest active act', async () => {
    const talk = threeFiles()
    await talk.ask('@[a.ts] @[b.ts]')
    const shown = async () =>
      Object.keys(parseGhostBlock(newestText(await talk.preview('and?')))?.files ?? {}).join()
    talk.act(drop('a.ts'), drop('b.ts'), pin('c.ts'))
    expect(await shown()).toBe('c.ts')
    talk.act(undo)
    expect(await shown()).toBe('')
    talk.act(undo)
    expect(await shown()).toBe('b.ts')
    talk.act(undo)
    expect(await shown()).toBe('a.ts,b.ts')
    talk.act(undo)
    expect(await shown()).toBe('a.ts,b.ts')
  })

  test('G8 an undo cannot be undone', () => {
    const { dropped } = foldActs([drop('a'), undo, drop('b'), undo, undo, drop('c')], '/ws')
    expect([...dropped]).toEqual(['file:c'])
  })

  test('G8 undoing a restore drops again, undoing an unpin pins again', () => {
    expect([...foldActs([drop('a'), restore('a'), undo], '/ws').dropped]).toEqual(['file:a'])
    expect([...foldActs([pin('a'), unpin('a'), undo], '/ws').pinned]).toEqual(['file:a'])
  })

  test('G8 acts are recorded in the session and building removes none of them', async () => {
    const talk = threeFiles()
    const acts: ItemAct[] = [drop('a.ts'), undo, pin('b.ts'), undo, drop('c.ts')]
    talk.act(...acts)
    const frozen = JSON.stringify(talk.session.acts)
    await talk.ask('@[a.ts] @[b.ts] @[c.ts]')
    await talk.ask('and?')
    expect(JSON.stringify(talk.session.acts)).toBe(frozen)
    talk.resume()
    expect(talk.session.acts).toEqual(acts)
    expect(Object.keys(ghostOf(await talk.preview('and?')).files)).toEqual(['a.ts', 'b.ts'])
  })

  test('G8 acts followed by as many undos have no effect', () => {
    const key = fc.constantFrom('a', 'b')
    const act = fc.record({
      act: fc.constantFrom('drop' as const, 'restore' as const, 'pin' as const, 'unpin' as const),
      type: fc.constantFrom('file' as const, 'rule' as const, 'tool' as const),
      key,
    })
    fc.assert(
      fc.property(fc.array(act), fc.array(act), (before, taken) => {
        const undone = [...before, ...taken, ...taken.map(() => undo)]
        expect(foldActs(undone, '/ws')).toEqual(foldActs(before, '/ws'))
      }),
      { numRuns: runs(200) },
    )
  })

  test('G8 an act of a kind that this version does not know changes nothing', () => {
    const unknown = { act: 'mute', type: 'file', key: 'a' } as unknown as ItemAct
    const { dropped, pinned } = foldActs([pin('a'), drop('b'), unknown, null as unknown as ItemAct], '/ws')
    expect([[...dropped], [...pinned]]).toEqual([['file:b'], ['file:a']])
  })
})
