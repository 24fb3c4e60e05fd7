import { describe, expect, test } from 'vitest'
import { ContextAssembler, defaultRules, getRulesContext, MacroContext } from '../support/engine.js'
import { MemoryWorkspace, png, portsOf } from '../support/memory-workspace.js'
import {
  Conversation,
  CountingTools,
  ghostOf,
  newestText,
  settingsWith,
  warningsOf,
} from '../support/session.js'

const folder = '.mutsumi/rules'
const inSystem = settingsWith({ rules: { placement: 'system' } })

describe('rules in the ghost block', () => {
  test('L3 exactly the .md files of the folder are the rules, sorted', async () => {
    const workspace = new MemoryWorkspace({
      [`${folder}/b.md`]: 'b',
      [`${folder}/B.md`]: 'B',
      [`${folder}/a.MD`]: 'a',
      [`${folder}/10.md`]: '10',
      [`${folder}/2.md`]: '2',
      [`${folder}/notes.txt`]: 'no',
      [`${folder}/a.md.bak`]: 'no',
      [`${folder}/deeper/c.md`]: 'no',
      [`${folder}/folder.md/c.md`]: 'no',
      '.mutsumi/c.md': 'no',
    })
    const { rules } = ghostOf(await new Conversation(workspace).preview('hello'))
    expect(rules.map(({ name }) => name)).toEqual(['10.md', '2.md', 'B.md', 'a.MD', 'b.md'])
  })

  test('L3 a rule is expanded with the macros of the session', async () => {
    const workspace = new MemoryWorkspace({
      [`${folder}/r.md`]:
        '---\nDescription: "d"\n---\n@{ifdef LANGUAGE}\nAnswer in {{LANGUAGE}}.\n@{else}\nAnswer.\n@{endif}\n',
    })
    const talk = new Conversation(workspace)
    const rule = async (prompt: string) => ghostOf(await talk.ask(prompt)).rules[0]?.content
    expect(await rule('hello')).toBe('Answer.\n')
    expect(await rule('#define LANGUAGE French')).toBe('Answer in French.\n')
    expect(await rule('still?')).toBe('Answer in French.\n')
    talk.resume()
    expect(await rule('@{define LANGUAGE, "German"}')).toBe('Answer in German.\n')
  })

  test('L3 a rule’s own definitions hold for the rules after it; those of included documents do not', async () => {
    const workspace = new MemoryWorkspace({
      [`${folder}/a.md`]: '{{STYLE}}|@[inner.md]',
      [`${folder}/b.md`]: '@{define STYLE, "tabs"}\n@{ifdef STYLE}@{define WIDTH, "100"}@{endif}',
      [`${folder}/c.md`]: 'Use {{STYLE}}, {{WIDTH}}, {{INNER}}.',
      [`${folder}/cc.md`]: '@{undef STYLE}',
      [`${folder}/d.md`]: '{{STYLE}} {{WIDTH}}',
      'inner.md': '@{define INNER, "no"}inner',
    })
    const talk = new Conversation(workspace)
    for (let round = 1; round <= 2; round++)
      expect(ghostOf(await talk.ask('hello')).rules).toEqual([
        { name: 'a.md', content: '{{STYLE}}|inner' },
        { name: 'c.md', content: 'Use tabs, 100, {{INNER}}.' },
        { name: 'd.md', content: '{{STYLE}} 100' },
      ])
    expect(talk.session.metadata.macroContext ?? {}).toEqual({})
    workspace.write(`${folder}/b.md`, '@{define STYLE, "blanks"}')
    expect(ghostOf(await talk.ask('again')).rules[1]?.content).toBe('Use blanks, {{WIDTH}}, {{INNER}}.')
  })

  test('L3 a rule that is empty after expansion is not sent', async () => {
    const workspace = new MemoryWorkspace({
      [`${folder}/a.md`]: '@{ifdef NEVER}\nsecret\n@{endif}\n\n',
      [`${folder}/b.md`]: '---\nDescription: x\n---\n',
    })
    const request = await new Conversation(workspace).preview('hello')
    expect([newestText(request), request.items]).toEqual(['hello', []])
  })

  test('L3 a reference in a rule is replaced in its place', async () => {
    const workspace = new MemoryWorkspace({
      [`${folder}/r.md`]: 'See:\n@[./parts/x.md]\n@[src/a.ts:2]',
      [`${folder}/parts/x.md`]: 'part of {{NAME}}',
      'src/a.ts': 'one\ntwo {{NAME}}\n',
    })
    const request = await new Conversation(workspace).preview('#define NAME me')
    expect(ghostOf(request)).toEqual({
      rules: [{ name: 'r.md', content: 'See:\npart of me\ntwo {{NAME}}' }],
      files: {},
      tools: [],
    })
  })

  test('L3 a rule that changes on disk is read again, an unchanged one is not', async () => {
    const workspace = new MemoryWorkspace({ [`${folder}/r.md`]: 'one', [`${folder}/s.md`]: 's' })
    const talk = new Conversation(workspace)
    await talk.ask('hello')
    workspace.reads.length = 0
    workspace.write(`${folder}/r.md`, 'two')
    expect(ghostOf(await talk.ask('and?')).rules.map(({ content }) => content)).toEqual(['two', 's'])
    expect(workspace.reads).not.toContain(`/ws/${folder}/s.md`)
    workspace.remove(`${folder}/r.md`)
    expect(ghostOf(await talk.ask('and?')).rules.map(({ name }) => name)).toEqual(['s.md'])
  })

  test('L3 an error in a rule is shown in its place, with a warning', async () => {
    const workspace = new MemoryWorkspace({
      [`${folder}/a.md`]: new Uint8Array([0, 1]),
      [`${folder}/b.md`]: png,
      [`${folder}/c.md`]: `@[${folder}/c.md]`,
      [`${folder}/d.md`]: '@[missing.md]',
      [`${folder}/e.md`]: 'fine',
    })
    const request = await new Conversation(workspace).preview('hello')
    expect(ghostOf(request).rules).toEqual([
      { name: 'a.md', content: '> Error including a.md: is a binary file' },
      { name: 'b.md', content: '> Error including b.md: is an image' },
      {
        name: 'c.md',
        content: `> Error including ${folder}/c.md: it includes itself: ${folder}/c.md → ${folder}/c.md`,
      },
      { name: 'd.md', content: '> Error including missing.md: not found' },
      { name: 'e.md', content: 'fine' },
    ])
    expect(request.warnings.map(({ source }) => source)).toEqual([
      `${folder}/a.md`,
      `${folder}/b.md`,
      `${folder}/c.md`,
      `${folder}/d.md`,
    ])
  })

  test('L3 an unknown macro in a rule stays, with a warning that names its position', async () => {
    const workspace = new MemoryWorkspace({ [`${folder}/r.md`]: '---\nParams: []\n---\nline\n  {{NOPE}}\n' })
    const request = await new Conversation(workspace).preview('hello')
    expect(ghostOf(request).rules[0]?.content).toBe('line\n  {{NOPE}}\n')
    expect(request.warnings).toMatchObject([
      { code: 'unknown-macro', source: `${folder}/r.md`, line: 5, column: 3 },
    ])
  })

  test('L3 a rule beyond the limit is cut, with a note', async () => {
    const workspace = new MemoryWorkspace({ [`${folder}/r.md`]: 'rule\n'.repeat(100) })
    const settings = settingsWith({ limits: { fileBytes: 50 } })
    const request = await new Conversation(workspace, { settings }).preview('hello')
    expect(ghostOf(request).rules[0]?.content).toMatch(/^(rule\n){10}> Truncated: .* 500 bytes/)
    expect(warningsOf(request, 'truncated')).toHaveLength(1)
    expect(request.items[0]?.content.truncated).toBe(true)
  })

  test('L3 without the folder there are no rules', async () => {
    const request = await new Conversation(new MemoryWorkspace({ 'a.ts': '' })).preview('hello')
    expect(newestText(request)).toBe('hello')
    expect(request.warnings).toEqual([])
  })

  test('L3 a rule calls a reading tool only in a trusted workspace', async () => {
    const workspace = new MemoryWorkspace({ [`${folder}/r.md`]: '@[LS{"path":"."}]' })
    const tools = new CountingTools(() => 'listing')
    const untrusted = await new Conversation(portsOf(workspace, tools)).preview('hello')
    expect(ghostOf(untrusted).rules[0]?.content).toMatch(/^> LS was not run: .*not trusted/)
    expect(tools.calls).toEqual([])
    const trusted = await new Conversation(portsOf(workspace, tools), { trusted: true }).preview('hello')
    expect(ghostOf(trusted).rules[0]?.content).toBe('listing')
  })
})

describe('rules in the system layer', () => {
  test('L3 by setting the rules follow the project rules in L2', async () => {
    const workspace = new MemoryWorkspace({
      'CODE_LAW.md': 'the law',
      [`${folder}/b.md`]: 'rule b: {{X}}\n',
      [`${folder}/a.md`]: 'rule a',
      'f.ts': 'f',
    })
    const request = await new Conversation(workspace, { settings: inSystem }).preview('#define X 1\n@[f.ts]')
    expect(request.messages[1]).toEqual({
      role: 'system',
      content:
        'Project rules (CODE_LAW.md):\n\nthe law\n\nProject rules (a.md):\n\nrule a\n\nProject rules (b.md):\n\nrule b: 1',
    })
    expect(ghostOf(request)).toEqual({ rules: [], files: { 'f.ts': 'f' }, tools: [] })
  })

  test('L3 in the system layer rules alone make the message, and no block', async () => {
    const workspace = new MemoryWorkspace({ [`${folder}/a.md`]: 'rule a' })
    const request = await new Conversation(workspace, { settings: inSystem }).preview('hello')
    expect(request.messages.slice(1)).toEqual([
      { role: 'system', content: 'Project rules (a.md):\n\nrule a' },
      { role: 'user', content: 'hello' },
    ])
  })

  test('L3 an error in a rule is shown there too', async () => {
    const workspace = new MemoryWorkspace({ [`${folder}/a.md`]: new Uint8Array([0, 1]) })
    const request = await new Conversation(workspace, { settings: inSystem }).preview('hello')
    expect(request.layers.L2).toContain('> Error including a.md: is a binary file')
    expect(warningsOf(request, 'rules')).toHaveLength(1)
  })
})

describe('rules by themselves', () => {
  test('L3 getRulesContext gives the rules as items', async () => {
    const workspace = new MemoryWorkspace({ [`${folder}/r.md`]: '{{X}}', [`${folder}/s.md`]: 's' })
    const assembler = new ContextAssembler(portsOf(workspace))
    const items = await getRulesContext(assembler, new MacroContext([['X', '1']]))
    expect(items.map(({ type, key, content }) => [type, key, content])).toEqual([
      ['rule', 'r.md', '1'],
      ['rule', 's.md', 's'],
    ])
  })

  test('L3 the default rules expand without a warning, with and without their macro', async () => {
    const files = Object.fromEntries(
      Object.entries(defaultRules).map(([name, text]) => [`${folder}/${name}`, text]),
    )
    const talk = new Conversation(new MemoryWorkspace(files))
    const plain = await talk.preview('hello')
    expect(plain.warnings).toEqual([])
    expect(ghostOf(plain).rules[0]?.content).not.toMatch(/@\{|\{\{|Description/)
    const french = await talk.preview('#define LANGUAGE French')
    expect(french.warnings).toEqual([])
    expect(ghostOf(french).rules[0]?.content).toContain('Answer in French.')
  })
})
