import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { action, finish, scripted } from '../support/scripted.js'
import { leave } from './support/conversations.js'
import { Talk } from './support/talk.js'

test('A9 H1 unfinished tasks stay in the live region, even when the session is opened again', async () => {
  const list = (...statuses: readonly string[]) =>
    action('TodoWrite', {
      summary: 'the goal',
      todos: statuses.map((status, index) => ({ content: `task ${index + 1}`, status })),
    })
  const { folder, flags } = scripted([
    list('in_progress', 'pending'),
    finish('half done'),
    list('completed', 'completed'),
    finish('all done'),
  ])
  const talk = new Talk(folder, flags)
  await talk.until('/help')
  talk.type('begin<enter>')
  await talk.until(/half done\n[\s\S]*Tasks: 0 of 2 done\n {2}▸ task 1\n {2}☐ task 2\n/)
  await leave(talk)
  expect(talk.text).not.toContain('Tasks: 0 of 2 done')

  const again = new Talk(folder, [...flags, '--continue'])
  await again.until(/half done\n[\s\S]*Tasks: 0 of 2 done\n {2}▸ task 1\n/)
  again.type('go on<enter>')
  // The script starts again: the same unfinished list.
  await again.until(() => again.text.split('half done').length === 3)
  again.type('and on<enter>')
  await again.until('all done')
  await again.until(() => !again.screen.includes('▸ task 1'))
  expect(again.text).toContain('Tasks: 2 of 2 done\n  ☑ task 1\n  ☑ task 2')
  await leave(again)
})

test('H1 a start that takes longer than a second says what it waits for', async () => {
  const slow = { command: process.execPath, args: ['-e', 'setTimeout(() => undefined, 3000)'] }
  const config = makeFolder({ 'config.json': JSON.stringify({ mcpServers: { slow } }) })
  const { folder, flags } = scripted([finish('done')])
  const talk = new Talk(folder, flags, { env: { MUTSUMI_CONFIG_DIR: config, HOME: makeFolder() } })
  await talk.until(/◌ connecting to the MCP servers \(\d s\)/)
  talk.type('typed meanwhile')
  await talk.until('› typed meanwhile')
  await talk.until('/help')
  await talk.until(() => !talk.screen.includes('connecting to'))
  expect(talk.text).toContain('slow')
  talk.type('<enter>')
  await talk.until('\ndone')
  await leave(talk)
})

test.skipIf(process.platform !== 'linux')(
  'H1 nothing runs while nothing happens',
  { timeout: 90_000 },
  async () => {
    const { folder, flags } = scripted([finish('An answer with `code`.\n\n```ts\nconst a = 1\n```\n')])
    const talk = new Talk(folder, flags)
    await talk.until('/help')
    talk.type('go<enter>')
    await talk.until('const a = 1')
    talk.type('half a sentence')
    await talk.until('› half a sentence')
    const spent = async (seconds: number) => {
      const before = processorMs(talk.pid)
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
      return processorMs(talk.pid) - before
    }
    // Pending work of the start and the round is done first.
    for (let second = 0; second < 40 && (await spent(1)) > 0; second++);
    const { length } = talk.sent
    expect(await spent(5)).toBeLessThanOrEqual(50)
    expect(talk.sent).toHaveLength(length)
    talk.type('<ctrl+c><ctrl+d>')
    expect(await talk.ended).toBe(0)
  },
)

/** Processor time that a process has used so far. */
function processorMs(pid: number): number {
  const [, user, system] =
    /^\d+ \(.*\) \S(?: -?\d+){10} (\d+) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
  return 10 * (Number(user) + Number(system))
}
