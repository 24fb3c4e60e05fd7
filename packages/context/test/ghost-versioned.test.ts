import { textOf } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AssembledContext,
  type ContextSettings,
  defaultSettings,
  parseGhostBlock,
} from './support/engine.js'
import { MemoryWorkspace, png, portsOf } from './support/memory-workspace.js'
import { runs } from './support/property-runs.js'
import {
  Conversation,
  CountingTools,
  ghostOf,
  newestText,
  settingsWith,
  versioned,
  warningsOf,
  wire,
} from './support/session.js'

const rule = '.mutsumi/rules/r.md'

describe('blocks stay where they were sent', () => {
  test('G6 every request begins with the whole request before it', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'a1', 'b.ts': 'b', 'p.png': png, [rule]: 'r {{X}}' })
    const tools = new CountingTools((_, count) => `answer ${count}`)
    const talk = new Conversation(portsOf(workspace, tools), { settings: versioned })
    let before = await talk.ask('#define X 1\n@[a.ts]')
    const change = [
      () => workspace.write('a.ts', 'a2'),
      () => undefined,
      () => workspace.remove('b.ts'),
      () => workspace.write('new.md', 'n'),
      () => talk.resume(),
    ]
    for (const prompt of [
      '@[b.ts] @[t{"n":1}] ![p](p.png)',
      'nothing new',
      '@[missing.ts] @[a.ts] @[*.zig]',
      '#define X 2\n@[t{"n":1}]',
      '@[new.md] @[p.png]',
      'and?',
    ]) {
      const request = await talk.ask(prompt)
      expect(wire(request).slice(0, before.messages.length)).toEqual(wire(before))
      before = request
      change.shift()?.()
    }
  })

  test('G6 a picture that changes on disk rewrites no message that was sent', async () => {
    const workspace = new MemoryWorkspace({ 'p.png': png, 'q.png': png })
    const talk = new Conversation(workspace, { settings: versioned })
    const first = await talk.ask('look ![p](p.png) and @[q.png]')
    workspace.write('p.png', new Uint8Array([...png, 1]))
    workspace.remove('q.png')
    const second = await talk.ask('and?')
    expect(wire(second).slice(0, first.messages.length)).toEqual(wire(first))
    talk.editCell(0, 'look ![p](p.png) again')
    expect(wire(await talk.ask('now?')).slice(0, first.messages.length)).not.toEqual(wire(first))
  })

  test('G6 a rule that is deleted stays where it was sent and holds no more', async () => {
    const workspace = new MemoryWorkspace({ [rule]: 'be brief', 'a.ts': 'a' })
    const talk = new Conversation(workspace, { settings: versioned })
    const first = await talk.ask('@[a.ts]')
    workspace.remove(rule)
    const second = await talk.ask('and?')
    expect(wire(second).slice(0, first.messages.length)).toEqual(wire(first))
    expect(ghostOf(second)).toMatchObject({ rules: [], current: { rules: {}, files: { 'a.ts': 1 } } })
    talk.resume()
    const third = await talk.ask('and now?')
    expect(wire(third).slice(0, second.messages.length)).toEqual(wire(second))
    expect(ghostOf(third).current).toBe('unchanged')
    workspace.write(rule, 'be brief')
    expect(ghostOf(await talk.ask('back?'))).toMatchObject({
      rules: [{ name: 'r.md', content: 'be brief' }],
      current: { rules: { 'r.md': 2 }, files: { 'a.ts': 1 } },
    })
  })

  test('G6 inside a round every request begins with the whole request before it, whatever changes on disk', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'a1', 'b.ts': 'b' })
    const talk = new Conversation(workspace, { settings: versioned })
    await talk.ask('@[a.ts]')
    const first = await talk.preview('@[b.ts] change both')
    talk.session.metadata = first.metadata
    workspace.write('a.ts', 'a2')
    workspace.write('b.ts', 'b2')
    const step = { role: 'assistant', content: 'Thought: edited' } as const
    const second = await talk.preview('@[b.ts] change both', { scratchpad: [step] })
    expect(wire(second)).toEqual([...wire(first), JSON.stringify(step)])
    talk.session.metadata = second.metadata
    const next = ghostOf(await talk.ask('@[b.ts] change both'))
    expect(next.files).toEqual({ 'a.ts': 'a2', 'b.ts': 'b2' })
  })

  test('G6 the blocks have the shape of G1 and list the versions that hold', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'one', 'b.ts': 'b' })
    const talk = new Conversation(workspace, { settings: versioned })
    await talk.ask('@[a.ts]')
    workspace.write('a.ts', 'two')
    const { messages } = await talk.ask('@[b.ts]')
    expect(messages.slice(1).map(textOf)).toEqual([
      '@[a.ts]\n\n<content_reference>\n' +
        '{"rules":[],"files":{"a.ts":"one"},"tools":[],"current":{"rules":{},"files":{"a.ts":1},"tools":{}}}' +
        '\n</content_reference>',
      'ok',
      '@[b.ts]\n\n<content_reference>\n' +
        '{"rules":[],"files":{"a.ts":"two","b.ts":"b"},"tools":[],' +
        '"current":{"rules":{},"files":{"a.ts":2,"b.ts":1},"tools":{}}}' +
        '\n</content_reference>',
    ])
  })

  test('G6 a message that brings nothing new says that the list before it holds', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'a' }), { settings: versioned })
    await talk.ask('@[a.ts]')
    expect(newestText(await talk.ask('and?'))).toBe(
      'and?\n\n<content_reference>\n{"rules":[],"files":{},"tools":[],"current":"unchanged"}\n</content_reference>',
    )
  })

  test('G6 the model is told how to read it, and only then', async () => {
    const told = async (settings: ContextSettings) =>
      (await new Conversation(new MemoryWorkspace(), { settings }).preview('hello')).layers.L1
    expect(await told(versioned)).toContain('`current`')
    expect(await told(defaultSettings)).not.toContain('`current`')
  })

  test('G6 before the first item there is no block', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'a' }), { settings: versioned })
    expect(newestText(await talk.ask('hello'))).toBe('hello')
    const { messages } = await talk.ask('@[a.ts]')
    expect(messages[1]).toEqual({ role: 'user', content: 'hello' })
  })

  test('G6 a changed file is sent again once, with its next version', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'one', 'b.ts': 'b' })
    const talk = new Conversation(workspace, { settings: versioned })
    await talk.ask('@[a.ts] @[b.ts]')
    workspace.write('a.ts', 'two')
    const second = ghostOf(await talk.ask('and?'))
    expect(second.files).toEqual({ 'a.ts': 'two' })
    expect(second.current).toEqual({ rules: {}, files: { 'a.ts': 2, 'b.ts': 1 }, tools: {} })
    const third = ghostOf(await talk.ask('and now?'))
    expect(third.files).toEqual({})
    expect(third.current).toBe('unchanged')
  })

  test('G6 one file mentioned three times over resumed sessions is sent once', async () => {
    const content = 'const a = 1 // and the text that is sent once'
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': content }), { settings: versioned })
    await talk.ask('@[a.ts]')
    talk.resume()
    await talk.ask('@[./a.ts]')
    talk.resume()
    const request = await talk.ask('@[/ws/a.ts]')
    expect(occurrences(request, content)).toBe(1)
  })

  test('G6 documents, tools, folders and failures are sent once too', async () => {
    const workspace = new MemoryWorkspace({ 'doc.md': 'the text of {{X}}', 'x/y.ts': '', [rule]: 'the rule' })
    const tools = new CountingTools(() => 'the answer')
    const talk = new Conversation(portsOf(workspace, tools), { settings: versioned })
    await talk.ask('#define X doc\n@[doc.md] @[t{}] @[x] @[missing.ts]')
    talk.resume()
    const request = await talk.ask('@[doc.md] @[t{}] @[x] @[missing.ts]')
    for (const text of ['the text of doc', 'the rule', 'the answer', '[FILE] y.ts', '> Error including'])
      expect([text, occurrences(request, text)]).toEqual([text, 1])
    expect(ghostOf(request).current).toBe('unchanged')
  })

  test('G6 a round whose message carried nothing new is not rewritten either', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'a1', 'p.png': png })
    const talk = new Conversation(workspace, { settings: versioned })
    await talk.ask('@[a.ts]')
    const first = await talk.preview('fix it ![p](p.png)')
    talk.session.metadata = first.metadata
    workspace.write('a.ts', 'a2')
    workspace.write('p.png', new Uint8Array([...png, 1]))
    workspace.write(rule, 'a new rule')
    const step = { role: 'assistant', content: 'Thought: edited' } as const
    const second = await talk.preview('fix it ![p](p.png)', { scratchpad: [step] })
    expect(wire(second)).toEqual([...wire(first), JSON.stringify(step)])
  })

  test('G6 a preview of a picture is not taken for what was sent', async () => {
    const workspace = new MemoryWorkspace({ 'p.png': png })
    const talk = new Conversation(workspace, { settings: versioned })
    const sent = await talk.ask('look ![p](p.png)')
    workspace.write('p.png', new Uint8Array([...png, 1]))
    await talk.engine.assemble(talk.session, 0, 'look ![p](p.png)', { dryRun: true })
    expect(wire(await talk.ask('and?')).slice(0, sent.messages.length)).toEqual(wire(sent))
  })

  test('G6 a compaction that is taken back brings the blocks of its rounds back', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'A', 'b.ts': 'B' }), { settings: versioned })
    await talk.ask('@[a.ts]')
    await talk.ask('@[b.ts]')
    const before = await talk.preview('three')
    const compaction = { id: 'c', cells: 1, upTo: 2, compression: 'normal', summary: 's' } as const
    talk.session = { ...talk.session, compactions: [compaction] }
    talk.session.metadata = (await talk.preview('three')).metadata
    talk.session = { ...talk.session, compactions: [compaction, { undo: 'c' }] }
    talk.resume()
    expect(wire(await talk.preview('three'))).toEqual(wire(before))
  })

  test('G6 versions go on counting', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': '0' })
    const talk = new Conversation(workspace, { settings: versioned })
    for (const version of [1, 2, 3, 4]) {
      workspace.write('a.ts', `${version}`)
      const block = ghostOf(await talk.ask(`@[a.ts] ${version}`))
      expect(block.files).toEqual({ 'a.ts': `${version}` })
      expect(block.current).toMatchObject({ files: { 'a.ts': version } })
    }
  })

  test('G6 a macro that changes a rule sends the rule again', async () => {
    const workspace = new MemoryWorkspace({ [rule]: 'speak {{LANGUAGE}}', '.mutsumi/rules/s.md': 'fixed' })
    const talk = new Conversation(workspace, { settings: versioned })
    await talk.ask('#define LANGUAGE French')
    const block = ghostOf(await talk.ask('#define LANGUAGE German'))
    expect(block.rules).toEqual([{ name: 'r.md', content: 'speak German' }])
    expect(block.current).toEqual({ rules: { 'r.md': 2, 's.md': 1 }, files: {}, tools: {} })
  })

  test('G6 a tool called again sends its new answer, and an equal answer sends nothing', async () => {
    let answer = 'one'
    const tools = new CountingTools(() => answer)
    const talk = new Conversation(portsOf(new MemoryWorkspace(), tools), { settings: versioned })
    await talk.ask('@[t{}]')
    expect(ghostOf(await talk.ask('@[t{}]')).tools).toEqual([])
    answer = 'two'
    const block = ghostOf(await talk.ask('@[t{}]'))
    expect(block.tools).toEqual([{ name: 't', args: {}, result: 'two' }])
    expect(block.current).toEqual({ rules: {}, files: {}, tools: { 't{}': 2 } })
    expect(tools.calls).toHaveLength(3)
  })

  test('G6 pictures stay in the message that brought them in', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'p.png': png, 'a.ts': 'a' }), { settings: versioned })
    const first = await talk.ask('@[p.png] @[a.ts]')
    const second = await talk.ask('@[p.png]')
    expect(wire(second).slice(0, first.messages.length)).toEqual(wire(first))
    expect(JSON.stringify(second.messages).split('image_url"').length - 1).toBe(2)
  })

  test('G6 building twice gives the same versions', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'one', [rule]: 'r' })
    const talk = new Conversation(workspace, { settings: versioned })
    await talk.ask('@[a.ts]')
    workspace.write('a.ts', 'two')
    await talk.ask('and?')
    const again = await talk.rerun(1)
    expect(wire(await talk.rerun(1))).toEqual(wire(again))
    expect(ghostOf(again).current).toEqual({ rules: { 'r.md': 1 }, files: { 'a.ts': 2 }, tools: {} })
    const first = await talk.rerun(0)
    expect(ghostOf(first).current).toEqual({ rules: { 'r.md': 1 }, files: { 'a.ts': 1 }, tools: {} })
    expect(wire(await talk.rerun(0))).toEqual(wire(first))
  })

  test('G6 raw contents stay where they were sent too', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'one', 'b.ts': 'b' })
    const talk = new Conversation(workspace, {
      settings: settingsWith({ ghost: { placement: 'versioned', format: 'raw' } }),
    })
    const first = await talk.ask('@[a.ts]')
    workspace.write('a.ts', 'two')
    const second = await talk.ask('@[b.ts]')
    expect(wire(second).slice(0, first.messages.length)).toEqual(wire(first))
    expect(ghostOf(second)).toEqual({
      rules: [],
      files: { 'a.ts': 'two', 'b.ts': 'b' },
      tools: [],
      current: { rules: {}, files: { 'a.ts': 2, 'b.ts': 1 }, tools: {} },
    })
    const third = await talk.ask('and?')
    expect(wire(third).slice(0, second.messages.length)).toEqual(wire(second))
  })
})

describe('what was sent is taken away', () => {
  test('G6 deleting the cell that carried a file sends the file again', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'text of a', 'b.ts': 'b' }), {
      settings: versioned,
    })
    await talk.ask('@[a.ts]')
    await talk.ask('@[a.ts] @[b.ts]')
    talk.deleteCell(0)
    const request = await talk.ask('and?')
    expect(occurrences(request, 'text of a')).toBe(1)
    expect(ghostOf(request).files).toEqual({ 'a.ts': 'text of a' })
    expect(listed(request)).toEqual(['a.ts', 'b.ts'])
  })

  test('G6 deleting the only cell that mentions a file takes it out of every block', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'text of a', 'b.ts': 'b' }), {
      settings: versioned,
    })
    await talk.ask('@[b.ts]')
    await talk.ask('@[a.ts]')
    talk.deleteCell(1)
    const request = await talk.ask('and?')
    expect(occurrences(request, 'text of a')).toBe(0)
    expect(listed(request)).toEqual(['b.ts'])
  })

  test('G6 a dropped file leaves the message that carried it, a restored one is sent again', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'text of a', 'b.ts': 'text of b' }), {
      settings: versioned,
    })
    await talk.ask('@[a.ts] @[b.ts]')
    talk.act({ act: 'drop', type: 'file', key: 'a.ts' })
    const dropped = await talk.ask('and?')
    expect(occurrences(dropped, 'text of a')).toBe(0)
    expect(occurrences(dropped, 'text of b')).toBe(1)
    expect(listed(dropped)).toEqual(['b.ts'])
    talk.act({ act: 'restore', type: 'file', key: 'a.ts' })
    const restored = await talk.ask('and now?')
    expect(ghostOf(restored).files).toEqual({ 'a.ts': 'text of a' })
    expect(listed(restored)).toEqual(['a.ts', 'b.ts'])
  })

  test('G6 an edited cell no longer carries what was sent with its old text', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'text of a', 'b.ts': 'text of b' }), {
      settings: versioned,
    })
    await talk.ask('@[a.ts] old words')
    await talk.ask('@[b.ts]')
    talk.editCell(0, '@[a.ts] new words')
    const request = await talk.ask('and?')
    expect(occurrences(request, 'text of a')).toBe(1)
    expect(ghostOf(request).files).toEqual({ 'a.ts': 'text of a' })
    expect(occurrences(request, 'text of b')).toBe(1)
  })

  test('G6 a cell with an id keeps its block when its text is edited', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'text of a' }), { settings: versioned })
    talk.insertCell(0, { content: '@[a.ts] old', metadata: { id: 'one' } })
    await talk.rerun(0)
    talk.editCell(0, '@[a.ts] new')
    const request = await talk.ask('and?')
    expect(textOf(request.messages[1] ?? expect.fail())).toContain('text of a')
    expect(ghostOf(request).current).toBe('unchanged')
  })

  test('G6 two cells of one text, or of one id, are two places', async () => {
    for (const metadata of [{}, { id: 'same' }]) {
      const workspace = new MemoryWorkspace({ 'a.ts': 'text of a' })
      const talk = new Conversation(workspace, { settings: versioned })
      talk.insertCell(0, { content: '@[a.ts]', metadata })
      await talk.rerun(0)
      workspace.write('a.ts', 'other text')
      talk.insertCell(1, { content: '@[a.ts]', metadata })
      await talk.rerun(1)
      const request = await talk.ask('and?')
      expect(occurrences(request, 'text of a')).toBe(1)
      expect(occurrences(request, 'other text')).toBe(1)
      expect(listed(request)).toEqual(['a.ts'])
    }
  })

  test('G6 an empty message carries nothing into the next request', async () => {
    const talk = new Conversation(new MemoryWorkspace({ [rule]: 'the rule' }), { settings: versioned })
    expect(ghostOf(await talk.ask('')).rules).toHaveLength(1)
    const request = await talk.ask('hello')
    expect(occurrences(request, 'the rule')).toBe(1)
    expect(ghostOf(request).rules).toHaveLength(1)
  })

  test('G6 a user cell that became another role carries nothing', async () => {
    const talk = new Conversation(new MemoryWorkspace({ [rule]: 'the rule' }), { settings: versioned })
    await talk.ask('hello')
    talk.deleteCell(0)
    talk.insertCell(0, { content: 'hello', metadata: { role: 'assistant' } })
    expect(ghostOf(await talk.ask('and?')).rules).toHaveLength(1)
  })
})

describe('versions and the budget', () => {
  const small = settingsWith({ contextWindow: 2000, ghost: { placement: 'versioned' } })
  const long = (mark: string) => `${mark}\n`.repeat(500)

  test('G6 an item over the budget becomes a stub in the newest message and leaves the old one', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': long('aaa'), 'b.ts': long('bbb') })
    const talk = new Conversation(workspace, { settings: small })
    await talk.ask('@[a.ts]')
    const request = await talk.ask('@[b.ts]')
    expect(occurrences(request, 'aaa')).toBe(0)
    expect(ghostOf(request).files['a.ts']).toMatch(/^> Left out .*@\[a\.ts\]/)
    expect(warningsOf(request, 'ghost-budget')[0]).toContain('a.ts')
    const third = await talk.ask('and?')
    expect(wire(third).slice(0, request.messages.length)).toEqual(wire(request))
    expect(ghostOf(third).current).toBe('unchanged')
  })

  test('G6 a stub mentioned again is sent whole again, and stays', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': long('aaa'), 'b.ts': long('bbb') })
    const talk = new Conversation(workspace, { settings: small })
    await talk.ask('@[a.ts]')
    await talk.ask('@[b.ts]')
    const restored = await talk.ask('@[a.ts]')
    expect(ghostOf(restored).files['a.ts']).toBe(long('aaa'))
    expect(occurrences(restored, 'bbb')).toBe(0)
    expect(occurrences(restored, long('aaa'))).toBe(1)
    talk.resume()
    const next = await talk.ask('and?')
    expect(wire(next).slice(0, restored.messages.length)).toEqual(wire(restored))
  })

  test('G6 versions that hold no more leave earlier messages when the budget has no room for them', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': long('v1;') })
    const talk = new Conversation(workspace, { settings: small })
    await talk.ask('@[a.ts]')
    workspace.write('a.ts', long('v2;'))
    const request = await talk.ask('and?')
    expect(occurrences(request, 'v1;')).toBe(0)
    expect(occurrences(request, long('v2;'))).toBe(1)
    expect(warningsOf(request, 'ghost-budget')[0]).toContain('outdated')
    const next = await talk.ask('and now?')
    expect(warningsOf(next, 'ghost-budget')).toEqual([])
    expect(wire(next).slice(0, request.messages.length)).toEqual(wire(request))
  })

  test('G6 versions that hold no more stay while there is room', async () => {
    const workspace = new MemoryWorkspace({ 'a.ts': 'the old text' })
    const talk = new Conversation(workspace, { settings: small })
    await talk.ask('@[a.ts]')
    workspace.write('a.ts', 'the new text')
    const request = await talk.ask('and?')
    expect(occurrences(request, 'the old text')).toBe(1)
  })
})

describe('whatever happens between the rounds', () => {
  test('G6 the newest content of every item that holds is in the request exactly once, last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step(), { minLength: 1, maxLength: 12 }), async (steps) => {
        await playSteps(steps)
      }),
      { numRuns: runs(150) },
    )
  })
})

type Step =
  | { readonly do: 'ask'; readonly files: readonly string[] }
  | { readonly do: 'write'; readonly file: string; readonly text: string }
  | { readonly do: 'remove'; readonly file: string }
  | { readonly do: 'delete'; readonly cell: number }
  | { readonly do: 'edit'; readonly cell: number }
  | { readonly do: 'move'; readonly cell: number; readonly to: number }
  | { readonly do: 'resume' }
  | { readonly do: 'act'; readonly act: 'drop' | 'restore'; readonly file: string }

function step(): fc.Arbitrary<Step> {
  const file = fc.constantFrom('a.ts', 'b.ts', 'c.md')
  const cell = fc.nat(5)
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), files: fc.array(file) }) },
    fc.record({ do: fc.constant('write' as const), file, text: fc.constantFrom('one', 'two', '') }),
    fc.record({ do: fc.constant('remove' as const), file }),
    fc.record({ do: fc.constant('delete' as const), cell }),
    fc.record({ do: fc.constant('edit' as const), cell }),
    fc.record({ do: fc.constant('move' as const), cell, to: cell }),
    fc.constant({ do: 'resume' as const }),
    fc.record({ do: fc.constant('act' as const), act: fc.constantFrom('drop', 'restore'), file }),
  )
}

/** Plays a session and compares, at every request, what the blocks amount to with the plain placement. */
async function playSteps(steps: readonly Step[]): Promise<void> {
  const workspace = new MemoryWorkspace({ 'a.ts': 'one', 'b.ts': 'one' })
  const talk = new Conversation(workspace, { settings: versioned })
  let before: AssembledContext | undefined
  for (const [index, one] of [...steps, { do: 'ask', files: [] } as const].entries()) {
    if (one.do !== 'ask') {
      change(talk, workspace, one)
      if (!keepsMessages.has(one.do)) before = undefined
      continue
    }
    const prompt = `${index} ${one.files.map((file) => `@[${file}]`).join(' ')}`
    const plain = new Conversation(workspace)
    plain.session = talk.session
    const expected = parseGhostBlock(newestText(await plain.preview(prompt)))?.files ?? {}
    const request = await talk.ask(prompt)
    expect(Object.fromEntries(whatHolds(request))).toEqual(expected)
    if (before) expect(wire(request).slice(0, before.messages.length)).toEqual(wire(before))
    before = request
  }
}

const keepsMessages: ReadonlySet<Step['do']> = new Set(['write', 'remove', 'resume'])

function change(talk: Conversation, workspace: MemoryWorkspace, step: Exclude<Step, { do: 'ask' }>): void {
  switch (step.do) {
    case 'write':
      return workspace.write(step.file, step.text)
    case 'remove':
      return workspace.remove(step.file)
    case 'resume':
      return talk.resume()
    case 'act':
      return talk.act({ act: step.act, type: 'file', key: step.file })
    case 'delete':
      return talk.deleteCell(step.cell)
    case 'edit':
      return talk.editCell(step.cell, `edited ${talk.session.cells[step.cell]?.content}`)
    case 'move': {
      const cell = talk.session.cells[step.cell]
      talk.deleteCell(step.cell)
      return cell && talk.insertCell(step.to, cell)
    }
    default:
      return step satisfies never
  }
}

/** The files that hold, read the way the model is told to: the last list, the last content of each entry. */
function whatHolds({ messages }: AssembledContext): Map<string, string> {
  const contents = new Map<string, string>()
  let current: Readonly<Record<string, number>> = {}
  for (const message of messages) {
    const block = message.role === 'user' ? parseGhostBlock(textOf(message)) : undefined
    if (!block) continue
    for (const [key, content] of Object.entries(block.files)) contents.set(key, content)
    if (block.current !== 'unchanged') current = block.current?.files ?? {}
  }
  return new Map(Object.keys(current).map((key) => [key, contents.get(key) ?? 'nothing was sent']))
}

function listed(request: AssembledContext): string[] {
  return [...whatHolds(request).keys()].sort()
}

/** How often a text stands in a request's blocks. */
function occurrences({ messages }: AssembledContext, text: string): number {
  const written = JSON.stringify(text).slice(1, -1)
  return messages.map((message) => textOf(message).split(written).length - 1).reduce((a, b) => a + b, 0)
}
