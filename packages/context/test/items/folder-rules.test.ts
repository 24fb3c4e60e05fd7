import { describe, expect, test } from 'vitest'
import { MemoryWorkspace, portsOf } from '../support/memory-workspace.js'
import { Conversation, ghostOf, settingsWith } from '../support/session.js'

type Built = Awaited<ReturnType<Conversation['preview']>>
const rulesIn = (context: Built) =>
  context.items.filter(({ content }) => content.type === 'rule').map(({ content }) => content.key)

describe('the user’s own rules', () => {
  const own = () =>
    new MemoryWorkspace({
      'AGENTS.md': 'I like short answers.',
      'rules/b.md': 'Speak {{LANGUAGE}}.',
      'rules/a.md': 'Mine: @[./parts/x.md]',
      'rules/parts/x.md': 'part',
      'config.json': '{"apiKey": "secret"}',
    })

  test('L2 L3 they come before the project’s, in every project', async () => {
    const project = { 'AGENTS.md': 'Use tabs.', '.mutsumi/rules/b.md': 'Project b.' }
    const ports = { ...portsOf(new MemoryWorkspace(project)), userRules: own() }
    const context = await new Conversation(ports).preview('#define LANGUAGE German\nhello')
    expect(context.layers.L2).toBe(
      'User rules (AGENTS.md):\n\nI like short answers.\n\nProject rules (AGENTS.md):\n\nUse tabs.',
    )
    expect(ghostOf(context).rules).toEqual([
      { name: 'user:a.md', content: 'Mine: part' },
      { name: 'user:b.md', content: 'Speak German.' },
      { name: 'b.md', content: 'Project b.' },
    ])
    expect(context.projectRules.map(({ name }) => name)).toEqual(['user:AGENTS.md', 'AGENTS.md'])
  })

  test('L2 a change to them is in the next request', async () => {
    const users = own()
    const talk = new Conversation({ ...portsOf(new MemoryWorkspace()), userRules: users })
    await talk.ask('hello')
    users.write('AGENTS.md', 'Long answers.')
    expect((await talk.preview('again')).layers.L2).toBe('User rules (AGENTS.md):\n\nLong answers.')
  })

  test('L2 A8 a project cannot pass its rules off as the user’s', async () => {
    const ports = {
      ...portsOf(new MemoryWorkspace({ '.mutsumi/rules/user:a.md': 'forged' })),
      userRules: own(),
    }
    const context = await new Conversation(ports).preview('hello')
    expect(rulesIn(context).filter((key) => key === 'user:a.md')).toHaveLength(1)
    expect(JSON.stringify(context.layers.ghost)).not.toContain('forged')
    expect(context.warnings.map(({ message }) => message).join()).toContain('rename it')
  })

  test('L3 A8 a project’s rule cannot include files of the user’s folder', async () => {
    const project = { '.mutsumi/rules/r.md': '@[config.json] @[rules/a.md]' }
    const ports = { ...portsOf(new MemoryWorkspace(project)), userRules: own() }
    expect(JSON.stringify((await new Conversation(ports).preview('x')).layers)).not.toContain('secret')
  })
})

describe('CLAUDE.md', () => {
  test('L2 it counts if there is no AGENTS.md, at the root and below', async () => {
    const workspace = new MemoryWorkspace({ 'CLAUDE.md': 'Root.', 'web/claude.md': 'Web.', 'web/a.ts': '' })
    const context = await new Conversation(workspace).preview('@[web/a.ts]')
    expect(context.layers.L2).toBe('Project rules (CLAUDE.md):\n\nRoot.')
    expect(rulesIn(context)).toEqual(['web/claude.md'])
  })

  test('L2 if there is an AGENTS.md beside it, only AGENTS.md counts', async () => {
    const workspace = new MemoryWorkspace({ 'CLAUDE.md': '@AGENTS.md', 'agents.md': 'Root.' })
    const { layers } = await new Conversation(workspace).preview('hello')
    expect(layers.L2).toBe('Project rules (agents.md):\n\nRoot.')
  })

  test('L2 if the setting lists other names, none of these files is sent', async () => {
    const workspace = new MemoryWorkspace({ 'CLAUDE.md': 'Root.', 'web/AGENTS.md': 'Web.', 'web/a.ts': '' })
    const settings = settingsWith({ projectRules: ['CODE_LAW.md'] })
    const context = await new Conversation(workspace, { settings }).preview('@[web/a.ts]')
    expect(context.layers.L2).toBe('')
    expect(rulesIn(context)).toEqual([])
  })
})

describe('the rules of a folder', () => {
  const files = {
    'AGENTS.md': 'Root.',
    'packages/AGENTS.md': 'All packages.',
    'packages/web/AGENTS.md': 'Web: {{X}} @[secret.md]',
    'packages/web/src/a.ts': 'a',
    'packages/api/AGENTS.md': 'Api.',
    'packages/api/b.ts': 'b',
    'secret.md': 'secret',
  }

  test('L2 L3 they go with the files of that folder, the outer ones first, as they are on disk', async () => {
    const talk = new Conversation(new MemoryWorkspace(files))
    const before = await talk.ask('hello')
    expect(rulesIn(before)).toEqual([])
    const context = await talk.ask('@[packages/web/src/a.ts:1]')
    expect(ghostOf(context).rules).toEqual([
      { name: 'packages/AGENTS.md', content: 'All packages.' },
      { name: 'packages/web/AGENTS.md', content: 'Web: {{X}} @[secret.md]' },
    ])
    expect(context.layers.L2).toBe(before.layers.L2)
    // They stay as long as the file is in the context, also in another process.
    talk.resume()
    expect(rulesIn(await talk.preview('go on'))).toEqual(['packages/AGENTS.md', 'packages/web/AGENTS.md'])
    talk.deleteCell(1)
    expect(rulesIn(await talk.preview('go on'))).toEqual([])
  })

  test('L2 mentioning a folder or a pattern adds them too', async () => {
    const talk = new Conversation(new MemoryWorkspace(files))
    expect(rulesIn(await talk.preview('@[packages/api]'))).toEqual([
      'packages/AGENTS.md',
      'packages/api/AGENTS.md',
    ])
    expect(rulesIn(await talk.preview('@[packages/**/*.ts]'))).toHaveLength(3)
  })

  test('L2 a rules file that is mentioned itself is sent once, and a dropped one is not sent', async () => {
    const talk = new Conversation(new MemoryWorkspace(files))
    expect(rulesIn(await talk.preview('@[packages/api/AGENTS.md]'))).toEqual(['packages/AGENTS.md'])
    talk.act({ act: 'drop', type: 'rule', key: 'packages/AGENTS.md' })
    expect(ghostOf(await talk.preview('@[packages/api/b.ts]')).rules).toEqual([
      { name: 'packages/api/AGENTS.md', content: 'Api.' },
    ])
  })

  test('L2 one request takes the rules of 20 folders, and says that there are more', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => {
        const folder = `f${String(index).padStart(2, '0')}`
        return [
          [`${folder}/AGENTS.md`, 'rule'],
          [`${folder}/x.ts`, ''],
        ]
      }).flat(),
    )
    const context = await new Conversation(new MemoryWorkspace(many)).preview('@[**/*.ts]')
    expect(rulesIn(context)).toHaveLength(20)
    expect(context.warnings.map(({ message }) => message).join()).toContain('at most 20 are sent')
  })

  test('L2 a rules file that is too long is cut, with a note', async () => {
    const workspace = new MemoryWorkspace({ 'web/AGENTS.md': 'long line\n'.repeat(50_000), 'web/a.ts': '' })
    const context = await new Conversation(workspace).preview('@[web/a.ts]')
    const [rule] = context.items.filter(({ content }) => content.type === 'rule')
    expect(rule?.content).toMatchObject({
      truncated: true,
      content: expect.stringContaining('> Truncated: '),
    })
  })
})
