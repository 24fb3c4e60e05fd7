import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { MemoryWorkspace, png, portsOf } from '../support/memory-workspace.js'
import { oneToolOfEach } from '../support/named-tools.js'
import { Conversation, ghostJson, settingsWith } from '../support/session.js'

/** A document's text before and after a change to something that it includes. */
async function shownAround(
  document: string,
  files: Record<string, string | Uint8Array>,
  change: (workspace: MemoryWorkspace) => void,
): Promise<unknown[]> {
  const workspace = new MemoryWorkspace({ ...files, 'a.md': `<@[b.md]>`, 'b.md': document })
  const talk = new Conversation(workspace)
  const shown = async () => ghostJson(await talk.preview('@[a.md]')).files['a.md']
  const before = [await shown(), await shown()]
  change(workspace)
  return [...before, await shown()]
}

describe('expansions of earlier builds', () => {
  test('S4 are valid until an included document changes', async () => {
    const shown = await shownAround('@[c.md]', { 'c.md': 'old' }, (workspace) =>
      workspace.write('c.md', 'new'),
    )
    expect(shown).toEqual(['<old>', '<old>', '<new>'])
  })

  test('S4 are valid until included source code changes', async () => {
    const shown = await shownAround('@[c.ts:1]', { 'c.ts': 'old\n' }, (workspace) =>
      workspace.write('c.ts', 'new\n'),
    )
    expect(shown).toEqual(['<old>', '<old>', '<new>'])
  })

  test('S4 are valid until a missing file appears, or one disappears', async () => {
    const missing = '<> Error including c.md: not found>'
    expect(await shownAround('@[c.md]', {}, (workspace) => workspace.write('c.md', 'new'))).toEqual([
      missing,
      missing,
      '<new>',
    ])
    expect(await shownAround('@[c.md]', { 'c.md': 'old' }, (workspace) => workspace.remove('c.md'))).toEqual([
      '<old>',
      '<old>',
      missing,
    ])
  })

  test('S4 are valid until a picture becomes a text', async () => {
    const picture = '<> Error including p.png: is an image; only a prompt can include images>'
    const shown = await shownAround('@[p.png]', { 'p.png': png }, (workspace) =>
      workspace.write('p.png', 'text'),
    )
    expect(shown).toEqual([picture, picture, '<text>'])
  })

  test('S4 are valid until a folder changes, or the files that a glob matches', async () => {
    const files = { 'd/x.ts': 'x' }
    const change = (workspace: MemoryWorkspace) => workspace.write('d/y.ts', 'y')
    expect(await shownAround('@[d]', files, change)).toEqual([
      '<[FILE] x.ts>',
      '<[FILE] x.ts>',
      '<[FILE] x.ts\n[FILE] y.ts>',
    ])
    const one = '<==> d/x.ts <==\nx>'
    expect(await shownAround('@[d/*.ts]', files, change)).toEqual([
      one,
      one,
      '<==> d/x.ts <==\nx\n==> d/y.ts <==\ny>',
    ])
  })

  test('S4 are not made again while nothing changes', async () => {
    const workspace = new MemoryWorkspace({ 'a.md': '@[b.md]', 'b.md': '@[c.ts]', 'c.ts': 'c' })
    const talk = new Conversation(workspace)
    const first = await talk.preview('@[a.md]')
    workspace.reads.length = 0
    const second = await talk.preview('@[a.md]')
    expect(second.items[0]?.content).toBe(first.items[0]?.content)
    expect(workspace.reads).toEqual([])
  })

  test('S4 count against the limits of the build that uses them', async () => {
    const workspace = new MemoryWorkspace({ 'a.md': 'a', 'b.md': '(@[a.md])', 'c.md': 'c', 'd.md': 'd' })
    const talk = new Conversation(workspace, { settings: settingsWith({ limits: { includes: 3 } }) })
    await talk.preview('@[b.md] @[c.md]')
    await talk.preview('@[d.md]')
    expect(ghostJson(await talk.preview('@[d.md] @[b.md] @[c.md]')).files).toEqual({
      'd.md': 'd',
      'b.md': '(a)',
      'c.md': '> Error including c.md: one build expands at most 3 includes',
    })
    const small = new Conversation(workspace, { settings: settingsWith({ limits: { includeBytes: 1 } }) })
    workspace.write('e.md', '[@[c.md]]')
    for (const each of ['b.md', 'e.md']) await small.preview(`@[${each}]`)
    expect(ghostJson(await small.preview('@[b.md] @[e.md]')).files).toEqual({
      'b.md': '(a)',
      'e.md':
        '[> Error including c.md: the includes and macros of one build may insert at most 1 characters]',
    })
  })

  test('S4 respect the depth of the build that uses them', async () => {
    const workspace = new MemoryWorkspace({
      'a.md': '@[b.md]',
      'b.md': '@[c.md]',
      'c.md': '@[d.md]',
      'd.md': 'd',
    })
    const talk = new Conversation(workspace, { settings: settingsWith({ limits: { includeDepth: 2 } }) })
    expect(ghostJson(await talk.preview('@[b.md]')).files).toEqual({ 'b.md': 'd' })
    const error = '> Error including d.md: includes are nested deeper than 2 levels'
    expect(ghostJson(await talk.preview('@[a.md]')).files).toEqual({ 'a.md': error })
    expect(ghostJson(await talk.preview('@[b.md] @[a.md]')).files).toEqual({ 'b.md': 'd', 'a.md': error })
    expect(ghostJson(await talk.preview('@[a.md] @[b.md]')).files).toEqual({ 'a.md': error, 'b.md': 'd' })
  })

  test('S4 a build with a cache gives the same result as a build without one', async () => {
    const name = fc.constantFrom('a.md', 'b.md', 'c.md', 'd/e.txt', 'x.ts')
    const text = fc
      .array(
        fc.oneof(
          name.map((included) => `@[${included}]`),
          fc.constantFrom('@[d]', '@[*.ts]', '@[p]', '@[a.md:1]', '{{A}}', '{{B}}', 'words\n', '@{endif}'),
          fc.constantFrom('@{define A, "1"}', '@{define A, "2"}', '@{undef A}', '@[Echo{"text":"{{A}}"}]'),
        ),
        { maxLength: 4 },
      )
      .map((pieces) => pieces.join(''))
    const step = fc.oneof(
      fc.record({ write: fc.oneof(name, fc.constant('p')), content: fc.oneof(text, fc.constant(png)) }),
      fc.record({ remove: name }),
      fc.record({
        ask: fc.tuple(
          fc.constantFrom('', '#define A 3\n', '#define B 4\n'),
          fc.array(name, { maxLength: 4 }),
        ),
      }),
    )
    const settings = settingsWith({
      limits: { includes: 4, includeBytes: 25, includeDepth: 2, globFiles: 1 },
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const workspace = new MemoryWorkspace()
        const ports = portsOf(workspace, oneToolOfEach())
        const remembering = new Conversation(ports, { settings, trusted: true })
        for (const each of steps) {
          if ('write' in each) workspace.write(each.write, each.content)
          else if ('remove' in each) workspace.remove(each.remove)
          else {
            const prompt = each.ask[0] + each.ask[1].map((mentioned) => `@[${mentioned}]`).join(' ')
            const forgetful = new Conversation(ports, { settings, trusted: true })
            const [warm, cold] = [await remembering.preview(prompt), await forgetful.preview(prompt)]
            expect(warm.messages).toEqual(cold.messages)
            expect(warm.warnings).toEqual(cold.warnings)
          }
        }
      }),
      { numRuns: runs(300) },
    )
  })
})
