import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { answerWith, type ModelServer, modelServer } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'
import { leave, talkTo } from './support/conversations.js'

/** A model whose first reply the test gives when it wants to. */
async function held(first: string, ...replies: readonly string[]) {
  let give: (() => void) | undefined
  let count = 0
  const server = await modelServer((response) => {
    const reply = replies[count++ - 1] ?? finish('over')
    if (count === 1) give = () => answerWith(response, first)
    else answerWith(response, reply)
  })
  return { server, isAsked: () => give !== undefined, give: () => give?.() }
}

function messagesOf({ requests }: ModelServer, index: number): { role: string; content: string }[] {
  return JSON.parse(requests[index]?.body ?? '{"messages":[]}').messages
}

test('A3 H1 Ctrl-S sends a message into the running round, and the replay has it', async () => {
  const model = await held(action('Read', { path: 'a.ts' }), finish('answer'))
  const folder = makeFolder({ 'a.ts': 'const a = 1\n' })
  const talk = await talkTo(model.server, folder)
  talk.type('first question<enter>')
  await talk.until(model.isAsked)
  talk.type('in one word')
  await talk.until('Enter queues, Ctrl-S steers the round')
  talk.type('<ctrl+s>')
  await talk.until('goes into the next request: in one word')
  model.give()
  await talk.until('\nanswer\n')
  expect(talk.text).toMatch(/● Read a\.ts.*\n\n› in one word\n\n\S/)
  await leave(talk)
  expect(model.server.requests).toHaveLength(2)
  expect(messagesOf(model.server, 1).at(-1)).toMatchObject({ role: 'user' })
  expect(JSON.stringify(messagesOf(model.server, 1).at(-1)?.content)).toContain('in one word')
  const sessions = join(folder, '.mutsumi', 'sessions')
  const [file = ''] = readdirSync(sessions).filter((name) => name.endsWith('.mtm'))
  const replay = await run(folder, ['replay', join(sessions, file), '--round', '1', '--request', '2'])
  expect(replay.code).toBe(0)
  expect(replay.stdout).toContain('in one word')
})

test('H1 a message that comes too late for the round is the next prompt, before the queued ones', async () => {
  const model = await held(finish('answer one'), finish('answer two'), finish('answer three'))
  const talk = await talkTo(model.server, makeFolder())
  talk.type('first<enter>')
  await talk.until(model.isAsked)
  talk.type('queued one<enter>')
  await talk.until('queued: queued one')
  talk.type('late one<ctrl+s>')
  await talk.until('goes into the next request: late one')
  talk.type('see @[a.ts]<ctrl+s>')
  await talk.until('queued: files, pictures and commands need a round of their own')
  model.give()
  await talk.until('answer three')
  expect(talk.text).toMatch(/answer one\n[\s\S]*› late one\n[\s\S]*answer two\n[\s\S]*› queued one\n/)
  await talk.until(() => model.server.requests.length === 4)
  expect(messagesOf(model.server, 3).at(-1)?.content).toContain('see @[a.ts]')
  await leave(talk)
})
