import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionsFolder } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { action, finish, scripted } from '../support/scripted.js'
import { addSession, workspaceWith } from '../support/stored-session.js'

describe('--session', () => {
  async function world() {
    const { folder, flags } = scripted([finish('ok')])
    const path = await addSession(folder, { name: 'the-login.mtm', metadata: { title: 'Mend the timeout' } })
    return { folder, flags, path }
  }

  test.each(['the-login', 'the-login.mtm', 'the-', 'Mend the timeout', 'mend'])(
    'H4 means the same in every command: %s',
    async (name) => {
      const { folder, flags, path } = await world()
      const asked = await runJson(folder, ['-p', 'x', '--session', name, ...flags])
      expect(asked.session).toBe(path)
      const resumed = await runJson(folder, ['resume', name])
      expect([resumed.session, resumed.rounds]).toEqual([path, 2])
      const preview = await runJson(folder, ['context', 'x', '--session', name])
      expect(preview.history.rounds.shown).toBe(2)
      expect((await run(folder, ['compact', '--session', name, '--preview'])).code).toBe(0)
      expect((await run(folder, ['pin', '--session', name, 'script.jsonl'])).code).toBe(0)
      expect(readdirSync(sessionsFolder(folder))).toEqual(['.gitignore', 'the-login.mtm'])
    },
  )

  test('H4 an unknown name is an error that names the nearest, not a new conversation', async () => {
    const { folder, flags } = await world()
    for (const args of [
      ['-p', 'x'],
      ['context', 'x'],
    ]) {
      const { code, stderr } = await run(folder, [...args, '--session', 'the-logan', ...flags])
      expect(code).toBe(1)
      expect(stderr).toContain('there is no session "the-logan"')
      expect(stderr).toContain('a name that ends in .mtm creates a new one; did you mean the-login?')
    }
    const { stderr } = await run(folder, ['-p', 'x', '--session', 'timeout', ...flags])
    expect(stderr).toContain('did you mean Mend the timeout?')
    expect(existsSync(join(folder, 'the-logan'))).toBe(false)
    expect((await run(folder, ['-p', 'x', '--session', '', ...flags])).code).toBe(2)
  })

  test('N2 the exact name of a file wins over a title and over a longer name', async () => {
    const folder = await workspaceWith({ name: 'hello.mtm', metadata: { title: 'hello' } })
    const path = join(sessionsFolder(folder), 'hello.mtm')
    await runJson(folder, ['fork', 'hello'])
    await addSession(folder, { name: 'hello-2.mtm', metadata: { title: 'hello' } })
    for (const name of ['hello', 'hello.mtm'])
      expect((await runJson(folder, ['resume', name])).session).toBe(path)
    expect((await run(folder, ['resume', 'hell'])).stderr).toContain('"hell" matches 3 sessions')
  })

  test('N2 an export is refused as a session, under any name, and stays as it is', async () => {
    const folder = await workspaceWith({ rounds: 2 })
    const { stdout } = await run(folder, ['export', 'talk', '--format', 'json'])
    for (const name of ['export.json', './export.mtm']) {
      writeFileSync(join(folder, name), stdout)
      for (const args of [
        ['-p', 'x', '--session', name],
        ['context', 'x', '--session', name],
        ['pin', '--session', name, 'a.ts'],
        ['resume', name],
        ['fork', name],
      ]) {
        const { code, stderr } = await run(folder, args)
        expect([args, code, stderr]).toEqual([
          args,
          1,
          expect.stringContaining('it is an export of a session'),
        ])
      }
      expect(readFileSync(join(folder, name), 'utf8')).toBe(stdout)
    }
    expect(JSON.parse(stdout).cells[1].messages).not.toHaveLength(0)
  })

  test('N2 H4 a new name that ends in .mtm is created in .mutsumi/sessions, and with a folder at that path', async () => {
    const { folder, flags } = await world()
    const named = await runJson(folder, ['-p', 'x', '--session', 'crash.mtm', ...flags])
    expect(named.session).toBe(join(sessionsFolder(folder), 'crash.mtm'))
    const again = await runJson(folder, ['-p', 'y', '--session', 'crash.mtm', ...flags])
    expect(again.session).toBe(named.session)
    expect((await runJson(folder, ['resume', 'crash'])).rounds).toBe(2)
    const here = await runJson(folder, ['-p', 'x', '--session', './here.mtm', ...flags])
    expect(here.session).toBe(join(folder, 'here.mtm'))
    expect(readdirSync(folder).filter((name) => name.includes('.mtm'))).toEqual(['here.mtm'])
    const { session } = await runJson(folder, ['-p', 'x', '--session', 'chats/new.mtm', ...flags])
    expect(session).toBe(join(folder, 'chats', 'new.mtm'))
    expect(existsSync(session)).toBe(true)
  })
})

describe('--no-session', () => {
  test('H4 N the whole loop works, sub-agents too, and nothing is kept', async () => {
    const replies = [
      action('Read', { path: 'a.ts' }),
      action('Task', { description: 'look', prompt: 'look around' }),
      finish('report'),
      { text: finish('done'), expect: ['a = 1', 'report'] },
    ]
    const { folder, flags } = scripted(replies, { 'a.ts': 'a = 1\n' })
    const before = readdirSync(folder)
    const summary = await runJson(folder, ['-p', 'go', '--no-session', '--allow', 'Task', ...flags])
    expect(summary).toMatchObject({ status: 'done', answer: 'done', session: null, steps: 3 })
    expect(readdirSync(folder)).toEqual(before)
    const both = await run(folder, ['-p', 'go', '--no-session', '--continue', ...flags])
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('exclude each other')])
  })

  test('T9 Recall returns the results of this run', async () => {
    const folder = makeFolder({ 'a.ts': 'a = 1\n' })
    const seen: string[] = []
    const server = await modelServer((response, { body }) => {
      const last: string = JSON.parse(body).messages.at(-1).content
      seen.push(last)
      const id = createHash('sha256')
        .update(last.replace(/^\[\w+\] /, ''))
        .digest('hex')
      const replies = [
        action('Read', { path: 'a.ts' }),
        action('Recall', { id: id.slice(0, 16) }),
        finish('done'),
      ]
      answerWith(response, replies[seen.length - 1] ?? '')
    })
    const summary = await runJson(folder, [
      '-p',
      'go',
      '--no-session',
      '-c',
      'results.form=json',
      ...flagsOf(server),
    ])
    expect(summary.tools).toEqual([
      { name: 'Read', status: 'success' },
      { name: 'Recall', status: 'success' },
    ])
    expect(seen[2]).toContain('a = 1')
    expect(readdirSync(folder)).toEqual(['a.ts'])
  })

  /** A folder in which no user can make a session: root can write everywhere else. */
  function unwritable(folder: string): void {
    if (process.getuid?.() === 0) return writeFileSync(join(folder, '.mutsumi'), '')
    mkdirSync(join(folder, '.mutsumi'), { mode: 0o500 })
  }

  test('H4 if nothing can be written, a run says so and --no-session works', async () => {
    const { folder, flags } = scripted([finish('ok')])
    unwritable(folder)
    const { code, stderr } = await run(folder, ['-p', 'x', ...flags])
    expect([code, stderr]).toEqual([1, expect.stringContaining('--no-session runs without saving anything.')])
    expect(await run(folder, ['-p', 'x', '--no-session', ...flags])).toMatchObject({
      code: 0,
      stdout: 'ok\n',
    })
  })
})
