import { describe, expect, test } from 'vitest'
import { buildInteractionHistory, ContextEngine } from '../support/engine.js'
import { MemoryWorkspace, portsOf } from '../support/memory-workspace.js'
import { Conversation, ghostJson, sessionOf } from '../support/session.js'

/** A workspace whose one rule and one document show what X is. */
function workspaceThatShows(): MemoryWorkspace {
  return new MemoryWorkspace({ '.mutsumi/rules/x.md': 'rule: {{X}}', 'x.md': 'file: {{X}}' })
}

function shown(request: Parameters<typeof ghostJson>[0]): string {
  const { rules, files } = ghostJson(request)
  return [...rules.map(({ content }) => content), ...Object.values(files)].join(', ')
}

describe('macros of a session', () => {
  test('M9 stored macros are loaded first and apply to rules and files', async () => {
    const session = { ...sessionOf(), metadata: { macroContext: { X: 'stored' } } }
    const engine = new ContextEngine(portsOf(workspaceThatShows()))
    expect(shown(await buildInteractionHistory(session, 0, '@[x.md]', engine))).toBe(
      'rule: stored, file: stored',
    )
  })

  test("M9 the host's macros hold from the start and override a default in the prompt", async () => {
    const engine = new ContextEngine(portsOf(workspaceThatShows()), { macros: { X: 'host' } })
    const defaults = '@{ifndef X}\n#define X default\n@{endif}\n@[x.md]'
    expect(shown(await buildInteractionHistory(sessionOf(), 0, defaults, engine))).toBe(
      'rule: host, file: host',
    )
    expect(shown(await buildInteractionHistory(sessionOf(), 0, '#define X own\n@[x.md]', engine))).toBe(
      'rule: own, file: own',
    )
  })

  test('M9 the prompt overrides what is stored, and is saved again', async () => {
    const session = { ...sessionOf(), metadata: { macroContext: { X: 'stored', Y: 'kept' }, title: 'mine' } }
    const engine = new ContextEngine(portsOf(workspaceThatShows()))
    const request = await buildInteractionHistory(
      session,
      0,
      '#define X new\n@{define Z, "z"}\n@[x.md]',
      engine,
    )
    expect(shown(request)).toBe('rule: new, file: new')
    expect(session.metadata).toMatchObject({ macroContext: { X: 'new', Y: 'kept', Z: 'z' }, title: 'mine' })
  })

  test('M9 a definition holds in later rounds, until it is overridden', async () => {
    const talk = new Conversation(workspaceThatShows())
    expect(shown(await talk.ask('#define X 1\n@[x.md]'))).toBe('rule: 1, file: 1')
    expect(shown(await talk.ask('go on'))).toBe('rule: 1, file: 1')
    expect(shown(await talk.ask('#define X 2'))).toBe('rule: 2, file: 2')
    expect(shown(await talk.ask('go on'))).toBe('rule: 2, file: 2')
    expect(talk.session.metadata.macroContext).toEqual({ X: '2' })
  })

  test('M9 a definition holds after the session is closed and opened again', async () => {
    const talk = new Conversation(workspaceThatShows())
    await talk.ask('#define X 1\n#define __proto__ odd')
    talk.resume()
    expect(shown(await talk.ask('@[x.md]'))).toBe('rule: 1, file: 1')
    expect(JSON.stringify(talk.session.metadata.macroContext)).toBe('{"X":"1","__proto__":"odd"}')
  })

  test('M9 @{undef} in a later prompt removes the macro from the session', async () => {
    const talk = new Conversation(workspaceThatShows())
    await talk.ask('#define X 1')
    expect(shown(await talk.ask('@{undef X}\n@[x.md]'))).toBe('rule: {{X}}, file: {{X}}')
    expect(talk.session.metadata.macroContext).toEqual({})
    expect(shown(await talk.ask('go on'))).toBe('rule: {{X}}, file: {{X}}')
  })

  test('M9 a condition of a prompt sees the macros of the session', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'a', 'b.ts': 'b' }))
    await talk.ask('#define MODE a')
    const request = await talk.ask('@{if MODE IS "a"}@[a.ts]@{else}@[b.ts]@{endif}')
    expect(ghostJson(request).files).toEqual({ 'a.ts': 'a' })
  })

  test('M9 a prompt keeps the meaning that it had in its round', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'a.ts': 'a', 'b.ts': 'b' }))
    await talk.ask('#define NAME a\n@[{{NAME}}.ts]')
    const request = await talk.ask('#define NAME b\n@[{{NAME}}.ts]')
    expect(ghostJson(request).files).toEqual({ 'a.ts': 'a', 'b.ts': 'b' })
  })

  test('M9 a document’s definitions stay in the document', async () => {
    const talk = new Conversation(
      new MemoryWorkspace({ 'a.md': '@{define X, "inner"}{{X}}', 'b.md': '{{X}}' }),
    )
    const request = await talk.ask('@[a.md] @[b.md]')
    expect(ghostJson(request).files).toEqual({ 'a.md': 'inner', 'b.md': '{{X}}' })
    expect(talk.session.metadata.macroContext).toEqual({})
  })
})

describe('running cells again', () => {
  test('M9 re-running an early cell sees only the macros of cells up to it', async () => {
    const talk = new Conversation(workspaceThatShows())
    await talk.ask('@[x.md]')
    await talk.ask('#define X 1')
    await talk.ask('#define X 2\n#define LATER y')
    expect(shown(await talk.rerun(0))).toBe('rule: {{X}}, file: {{X}}')
    expect(shown(await talk.rerun(1))).toBe('rule: 1, file: 1')
    expect(talk.session.metadata.macroContext).toEqual({ X: '1' })
    expect(shown(await talk.rerun(2))).toBe('rule: 2, file: 2')
    expect(talk.session.metadata.macroContext).toEqual({ X: '2', LATER: 'y' })
  })

  test('M9 re-running an early cell loses nothing of the later ones', async () => {
    const talk = new Conversation(workspaceThatShows())
    await talk.ask('@[x.md]')
    await talk.ask('#define X 1')
    await talk.rerun(0)
    talk.resume()
    expect(shown(await talk.ask('go on'))).toBe('rule: 1, file: 1')
  })

  test('M9 re-running all cells after a definition was edited never shows the old value', async () => {
    const talk = new Conversation(workspaceThatShows())
    await talk.ask('@[x.md]')
    await talk.ask('#define X 1')
    talk.editCell(1, '#define X 2')
    expect(shown(await talk.rerun(0))).toBe('rule: {{X}}, file: {{X}}')
    expect(shown(await talk.rerun(1))).toBe('rule: 2, file: 2')
  })

  test('M9 a cell that runs again uses its own definition again', async () => {
    const talk = new Conversation(workspaceThatShows())
    await talk.ask('@{ifndef X}\n#define X first\n@{endif}\n@[x.md]')
    expect(shown(await talk.rerun(0))).toBe('rule: first, file: first')
    expect(shown(await talk.ask('go on'))).toBe('rule: first, file: first')
  })

  test('M9 the macro of a deleted cell is deleted with it', async () => {
    const talk = new Conversation(workspaceThatShows())
    await talk.ask('#define X 1')
    await talk.ask('@[x.md]')
    talk.deleteCell(0)
    expect(shown(await talk.ask('go on'))).toBe('rule: {{X}}, file: {{X}}')
    expect(talk.session.metadata.macroContext).toEqual({})
  })

  test('M9 a stored macro overrides a default in every build', async () => {
    const talk = new Conversation(workspaceThatShows())
    talk.session = { ...sessionOf(), metadata: { macroContext: { X: 'en' } } }
    const defaults = '@{ifndef X}\n#define X default\n@{endif}\n@[x.md]'
    expect(shown(await talk.ask(defaults))).toBe('rule: en, file: en')
    talk.resume()
    expect(shown(await talk.rerun(0))).toBe('rule: en, file: en')
    expect(shown(await talk.ask('go on'))).toBe('rule: en, file: en')
  })

  test('M9 a later prompt does not change what an earlier cell refers to', async () => {
    const talk = new Conversation(new MemoryWorkspace({ 'en.md': 'hello', 'de.md': 'hallo' }))
    talk.session = { ...sessionOf(), metadata: { macroContext: { LANG: 'en' } } }
    await talk.ask('@[{{LANG}}.md]')
    expect(ghostJson(await talk.ask('#define LANG de')).files).toEqual({ 'en.md': 'hello' })
    talk.resume()
    expect(ghostJson(await talk.ask('go on')).files).toEqual({ 'en.md': 'hello' })
  })

  test('M9 a stored macro that a later cell removes is still defined for the cells before it', async () => {
    const talk = new Conversation(workspaceThatShows())
    talk.session = { ...sessionOf(), metadata: { macroContext: { X: 'stored' } } }
    await talk.ask('@[x.md]')
    await talk.ask('@{undef X}')
    talk.resume()
    expect(shown(await talk.rerun(0))).toBe('rule: stored, file: stored')
  })

  test('M9 a session that another program wrote shows an early cell only what came before it', async () => {
    const session = {
      ...sessionOf('@[x.md]', '#define X 1', '#define X 2'),
      metadata: { macroContext: { X: '2', Y: 'kept' } },
    }
    const engine = new ContextEngine(portsOf(workspaceThatShows()))
    expect(shown(await buildInteractionHistory(session, 0, '@[x.md]', engine))).toBe(
      'rule: {{X}}, file: {{X}}',
    )
    expect(session.metadata.macroContext).toEqual({ Y: 'kept' })
  })

  test('M9 changes that another program makes to the stored macros are used', async () => {
    const talk = new Conversation(workspaceThatShows())
    await talk.ask('@[x.md]')
    talk.session.metadata = { ...talk.session.metadata, macroContext: { X: 'by hand' } }
    expect(shown(await talk.ask('go on'))).toBe('rule: by hand, file: by hand')
    expect(shown(await talk.ask('and on'))).toBe('rule: by hand, file: by hand')
  })

  test('M9 only cells of the user define anything', async () => {
    const talk = new Conversation(workspaceThatShows())
    talk.insertCell(0, { content: '#define X 1\n@[x.md]', metadata: { role: 'assistant' } })
    const request = await talk.ask('go on')
    expect(ghostJson(request).rules).toEqual([{ name: 'x.md', content: 'rule: {{X}}' }])
    expect(talk.session.metadata.macroContext).toEqual({})
  })
})
