import { describe, expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { action, finish, scripted } from '../support/scripted.js'
import { answering, leave, talkTo } from './support/conversations.js'

const allowed = { args: ['--allow', 'Bash', '--sandbox', 'off'] }
const failing = `node -e "console.log('before');for(let i=1;i<=12;i++)console.error('boom '+i);process.exit(3)"`

describe('P5 results of commands', () => {
  test('P5 a command shows its first lines, how many more there are and their count, and Ctrl-O shows all', async () => {
    const server = await answering(action('Bash', { command: 'seq 1 3000' }), finish('counted'))
    const talk = await talkTo(server, makeFolder(), allowed)
    talk.type('count<enter>')
    await talk.until('\ncounted\n')
    expect(talk.text).toMatch(/● Bash seq 1 3000 {2}3 000 lines\b/)
    expect(talk.text).toContain('\n  1\n  2\n  3\n  4\n  5\n  … 2 995 more lines, Ctrl-O shows all\n')
    expect(talk.text).not.toContain('\n1234\n')
    talk.type('<ctrl+o>')
    await talk.until('\n3000\n')
    expect(talk.text).toContain('\n1234\n')
    await leave(talk)
  })

  test('P5 a failed command has a red dot, its exit code and the end of its errors, and Ctrl-O shows no JSON', async () => {
    const server = await answering(action('Bash', { command: failing }), finish('seen'))
    const talk = await talkTo(server, makeFolder(), { ...allowed, columns: 120 })
    talk.type('fail<enter>')
    await talk.until('\nseen\n')
    expect(talk.text).toContain('exit code 3, 13 lines')
    expect(talk.text).toContain('\n  … 5 more lines, Ctrl-O shows all\n  boom 5\n')
    expect(talk.text).toContain('\n  boom 12\n')
    expect(talk.sent).toContain('\u001b[31m● ')
    expect(talk.sent).toContain('\u001b[31m  boom 12')
    talk.type('<ctrl+o>')
    await talk.until('\nboom 12\n')
    expect(talk.text).toContain('\nexit code: 3\nbefore\n')
    expect(talk.text).not.toContain('"exit_code"')
    await leave(talk)
  })

  test('P5 Ctrl-O after a change that was asked for shows its diff again, never JSON', async () => {
    const edit = action('Edit', { path: 'a.ts', old_string: 'before', new_string: 'after' })
    const server = await answering(edit, finish('changed'))
    const talk = await talkTo(server, makeFolder({ 'a.ts': 'const a = "before"\n' }))
    talk.type('Change @[a.ts]<enter>')
    await talk.answer('1')
    await talk.until('\nchanged\n')
    const count = () => talk.text.split('1 + const a = "after"').length - 1
    expect(count()).toBe(1)
    talk.type('<ctrl+o>')
    await talk.until(() => count() === 2)
    expect(talk.text).not.toContain('"applied"')
    await leave(talk)
  })

  test('P5 plain lines show the first lines too', async () => {
    const server = await answering(action('Bash', { command: 'seq 1 30' }), finish('counted'))
    const talk = await talkTo(server, makeFolder(), { args: [...allowed.args, '--plain'] })
    talk.type('count<enter>')
    await talk.until('counted\n')
    expect(talk.text).toContain('\n  5\n  … 25 more lines\n')
    talk.type('<ctrl+d>')
    await talk.ended
  })

  test('P5 the progress of -p has the end of what a failed command wrote, and no line of a good one', async () => {
    const { folder, flags } = scripted([
      action('Bash', { command: failing }),
      action('Bash', { command: 'echo fine' }),
      finish('ok'),
    ])
    const { stderr } = await run(folder, ['-p', 'x', ...allowed.args, ...flags])
    expect(stderr).toContain('exit code 3, 13 lines\n  boom 5\n')
    expect(stderr).toContain('  boom 12\n')
    expect(stderr).toMatch(/echo fine → 1 line\n(?! {2}fine)/)
  })
})

describe('T6 an edit that cannot be applied', () => {
  const edit = (old_string: string) => action('Edit', { path: 'a.ts', old_string, new_string: 'y' })

  test.each([
    [
      'an Edit without a match',
      [action('Read', { path: 'a.ts' }), edit('nowhere')],
      /old_string was not found/,
    ],
    ['an Edit of a file that was not read', [edit('x')], /✗ Edit a\.ts {2}a\.ts: read it first/],
  ])('T6 a newcomer without stored rules is not asked about %s', async (_, calls, failure) => {
    const server = await answering(...calls, finish('gave up'))
    const folder = makeFolder({ 'a.ts': 'x\n' })
    const talk = await talkTo(server, folder, { columns: 120, env: { MUTSUMI_CONFIG_DIR: makeFolder() } })
    talk.type('Change it<enter>')
    await talk.until(() => /\ngave up\n|asks for your permission/.test(talk.text))
    expect(talk.text).not.toContain('asks for your permission')
    expect(talk.text).toMatch(failure)
    await leave(talk)
  })
})
