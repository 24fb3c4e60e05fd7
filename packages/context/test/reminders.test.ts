import { type Session, textOf } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { ContextEngine, HistoryManager, reportContext } from './support/engine.js'
import { answer, call, result, step } from './support/histories.js'
import { MemoryWorkspace, png, portsOf } from './support/memory-workspace.js'
import { sessionOf, versioned, wire } from './support/session.js'

const files = { 'src/a.ts': 'A', 'lib/b.ts': 'B' }
const reminder = (path: string) =>
  `\n\n<system-reminder>\nThe user mentioned @${path}.\nYou MUST read this file with the Read tool before answering.\n</system-reminder>`

function engineOf(workspace = new MemoryWorkspace(files), settings = versioned) {
  return new ContextEngine(portsOf(workspace), { settings })
}

/** A finished round with what was sent behind its text. */
function remembered(content: string, sent: string): Session {
  const metadata = { reminder: sent, mutsumi_interaction: [answer('ok')] }
  return { metadata: {}, cells: [{ content, metadata }] }
}

describe('the reminder of mentioned files', () => {
  test('F1 it is part of the request and of what the user’s message takes', async () => {
    const engine = engineOf()
    const context = await engine.assemble(sessionOf(), 0, 'see @src/a.ts')
    expect(context.messages.at(-1)?.content).toBe(`see @src/a.ts${reminder('src/a.ts')}`)
    expect(context.reminder).toBe(reminder('src/a.ts'))
    const { byLayer } = reportContext(context, engine).tokens
    expect(byLayer.user).toBe(Math.floor(`see @src/a.ts${reminder('src/a.ts')}`.length / 3))
  })

  test('F1 it brings in no item, and a reference in the prompt still does', async () => {
    const { items } = await engineOf().assemble(sessionOf(), 0, '@src/a.ts @[lib/b.ts]')
    expect(items.map(({ content }) => content.key)).toEqual(['lib/b.ts'])
  })

  test('F1 with pictures it stands in the text, behind all of it', async () => {
    const workspace = new MemoryWorkspace({ ...files, 'p.png': png })
    const { messages } = await engineOf(workspace).assemble(sessionOf(), 0, '![p](p.png) as in @src/a.ts')
    const message = messages.at(-1)
    expect(message && textOf(message)).toBe(` as in @src/a.ts${reminder('src/a.ts')}`)
  })

  test('F2 what the session may not read cannot be mentioned', async () => {
    const session = { ...sessionOf(), metadata: { allowed_uris: ['file:///ws/src'] } }
    const { reminder: sent } = await engineOf(new DeniedOutside(files)).assemble(
      session,
      0,
      '@src/a.ts @lib/b.ts',
    )
    expect(sent).toBe(reminder('src/a.ts'))
  })

  test('F2 a binary file is a file, a folder is not', async () => {
    const workspace = new MemoryWorkspace({ ...files, 'x.bin': new Uint8Array([0, 1, 2]) })
    const { reminder: sent } = await engineOf(workspace).assemble(sessionOf(), 0, '@x.bin @src @src/')
    expect(sent).toBe(reminder('x.bin'))
  })

  test('G6 a message stands in later requests as it was sent, whatever became of the file', async () => {
    const workspace = new MemoryWorkspace(files)
    const first = await engineOf(workspace).assemble(sessionOf(), 0, 'see @src/a.ts')
    workspace.remove('src/a.ts')
    const session = remembered('see @src/a.ts', first.reminder)
    const second = await engineOf(workspace).assemble(session, 1, 'and now?')
    expect(wire(second).slice(0, 2)).toEqual(wire(first))
  })

  test('G6 what a round does to the files changes nothing about its own message', async () => {
    const workspace = new MemoryWorkspace(files)
    const engine = engineOf(workspace)
    const first = await engine.assemble(sessionOf(), 0, 'make @new.ts like @src/a.ts')
    workspace.write('new.ts', 'N')
    const scratchpad = [step('Thought', call('w', 'Write')), result('w', { path: 'new.ts' }, 'Write')]
    const goesOn = await engine.assemble(sessionOf(), 0, 'make @new.ts like @src/a.ts', { scratchpad })
    expect(wire(goesOn).slice(0, 2)).toEqual(wire(first))
    const again = await engine.assemble(sessionOf(), 0, 'make @new.ts like @src/a.ts')
    expect(again.reminder).toContain('@new.ts, @src/a.ts')
  })

  test('G6 a round that another process goes on with keeps what its cell recorded', async () => {
    const workspace = new MemoryWorkspace(files)
    workspace.remove('src/a.ts')
    const session = remembered('see @src/a.ts', reminder('src/a.ts'))
    const scratchpad = [answer('so far')]
    const goesOn = await engineOf(workspace).assemble(session, 0, 'see @src/a.ts', { scratchpad })
    expect(goesOn.reminder).toBe(reminder('src/a.ts'))
  })

  test('B4 a cell whose reminder is recorded later is read anew', async () => {
    const engine = engineOf()
    await engine.assemble(remembered('see @src/a.ts', ''), 1, 'next')
    const { messages } = await engine.assemble(remembered('see @src/a.ts', reminder('src/a.ts')), 1, 'next')
    expect(messages[1]?.content).toContain('<system-reminder>')
  })

  test('F1 the history manager sends it with the question, and with the round when it is over', () => {
    const history = new HistoryManager()
    history.appendUser('see @src/a.ts', { reminder: reminder('src/a.ts') })
    const sent = { role: 'user', content: `see @src/a.ts${reminder('src/a.ts')}` }
    expect([...history.view()]).toEqual([sent])
    history.appendFinal('ok')
    expect([...history.view()][0]).toEqual(sent)
    expect(history.rounds[0]?.prompt).toBe('see @src/a.ts')
  })
})

/** Reads only what the session allows, as the real workspace does. */
class DeniedOutside extends MemoryWorkspace {
  override read(...[path, options]: Parameters<MemoryWorkspace['read']>) {
    const isAllowed = options.allowed.some((uri) => path.startsWith(uri.replace('file://', '')))
    if (isAllowed) return super.read(path, options)
    return { kind: 'fault', code: 'ACCESS_DENIED', message: 'is outside' } as const
  }
}
