import { describe, expect, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'
import { sentMessages } from '../support/sent-messages.js'

const todos = (...statuses: readonly string[]) =>
  action('TodoWrite', {
    summary: '',
    todos: statuses.map((status, index) => ({ content: `task ${index + 1}`, status })),
  })

/** A session on disk that is asked in one process after the other; each round plays its replies. */
async function conversation() {
  const replies: string[] = []
  const server = await modelServer((response) => answerWith(response, replies.shift() ?? finish('fine')))
  const folder = makeFolder()
  const flags = ['--session', 'talk.mtm', ...flagsOf(server)]
  return {
    server,
    folder,
    async ask(prompt: string, ...round: readonly string[]) {
      replies.push(...round)
      await run(folder, ['-p', prompt, ...flags])
      return sentMessages(server)
    },
  }
}

/** How the last message of a request ends: providers get a late system message as part of the user's. */
const endOf = (messages: ReturnType<typeof sentMessages>) => messages.at(-1)?.content.split('\n').at(-1)

describe('the todo recap in the request that is sent', () => {
  test('A9 it is at the end of every request while the list is unfinished, over rounds and processes', async () => {
    const { server, ask } = await conversation()
    await ask('Plan', todos('completed', 'in_progress', 'pending'), finish('planned'))
    const recap = '[system] [1/3] In progress: task 2. Pending: task 3.'
    expect(endOf(sentMessages(server, 0))).toBe('Plan')
    // The result of the call says it already, so it is there once.
    expect(endOf(sentMessages(server, 1))).toBe('[tool] [1/3] In progress: task 2. Pending: task 3.')
    expect((await ask('Go on')).at(-1)?.content).toBe(`Go on\n\n${recap}`)
    expect(endOf(await ask('And on', action('LS', {}), finish('fine')))).toBe(recap)
    expect(endOf(sentMessages(server, -2))).toBe(recap)
  })

  test('A9 it is gone from the request after the list is finished, and a new list replaces it', async () => {
    const { server, ask } = await conversation()
    await ask('Plan', todos('in_progress'), finish('planned'))
    await ask('Replace', todos('pending', 'cancelled'), finish('replaced'))
    expect(endOf(sentMessages(server, -2))).toBe('[system] [0/1] In progress: task 1.')
    expect(endOf(sentMessages(server))).toBe('[tool] [0/2] Pending: task 1. Cancelled: task 2.')
    await ask('Finish', todos('completed', 'cancelled'), finish('done'))
    expect(sentMessages(server).at(-1)?.content).not.toContain('[system]')
    expect((await ask('Next')).at(-1)?.content).toBe('Next')
  })

  test('A9 W4 the preview shows it', async () => {
    const { folder, ask } = await conversation()
    await ask('Plan', todos('in_progress'), finish('planned'))
    const { messages } = await runJson(folder, ['context', 'Go on', '--session', 'talk.mtm'])
    expect(messages.at(-1)).toEqual({ role: 'system', content: '[0/1] In progress: task 1.' })
  })
})
