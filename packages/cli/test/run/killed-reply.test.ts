import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { sessionsFolder } from '@mutsumi/session/node'
import { expect, test } from 'vitest'
import { leave, ready } from '../interactive/support/conversations.js'
import { Talk } from '../interactive/support/talk.js'
import { makeFolder, run, runJson } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { begin, until } from '../support/running.js'
import { action, finish, scripted } from '../support/scripted.js'

/** Writes a word every few milliseconds, for as long as somebody listens. */
function writeSlowly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let count = 0
  const writing = setInterval(() => {
    const choices = [
      { index: 0, delta: { role: 'assistant', content: `word${++count} ` }, finish_reason: null },
    ]
    response.write(`data: ${JSON.stringify({ id: 'x', model: 'm', choices })}\n\n`)
  }, 20)
  response.on('close', () => clearInterval(writing))
}

interface Recorded {
  readonly type: string
  readonly from: number
  readonly content: string
}

test('N3 after a kill -9 at an open question, the session says what was asked and that it did not run', async () => {
  const { folder, flags } = scripted([action('Write', { path: 'new.txt', content: 'x' }), finish('fine')])
  const talk = await ready(folder, flags)
  talk.type('write it<enter>')
  await talk.until('Tab')
  await talk.until('Where: new.txt')
  process.kill(talk.pid, 'SIGKILL')
  await talk.ended
  const again = new Talk(folder, ['--continue', ...flags], { columns: 100 })
  await again.until('✗ Write new.txt  it did not run')
  await again.until('✗ interrupted: the program ended before the round did')
  await leave(again)
  const { stdout } = await run(folder, ['resume', 'write'])
  expect(stdout).toMatch(/^Write \{.*new\.txt.*\}: interrupted, it did not run \(round 1\)$/m)
})

test('A3 after a kill -9 in the middle of an answer, its text is kept and shown as interrupted in every face', async () => {
  const server = await modelServer((response, { body }) =>
    body.includes('Go on') ? answerWith(response, 'I go on.') : writeSlowly(response),
  )
  const folder = makeFolder()
  const { child } = begin(folder, ['-p', 'Tell a story', ...flagsOf(server)])
  const file = () => {
    const name = readdirSync(sessionsFolder(folder)).find((each) => each.endsWith('.mtm')) ?? ''
    return readFileSync(join(sessionsFolder(folder), name), 'utf8')
  }
  const pieces = (): Recorded[] =>
    file()
      .split('\n')
      .filter((line) => line.startsWith('{"type":"partial"'))
      .map((line) => JSON.parse(line))
  await until(() => server.requests.length > 0 && pieces().length === 3, child)
  child.kill('SIGKILL')
  await once(child, 'close')

  // Only new text is written, so the file does not grow with the square of the answer.
  const recorded = pieces()
  const told = recorded.map(({ content }) => content).join('')
  expect(recorded.map(({ from }) => from)).toEqual(
    recorded.map((_, at) => recorded.slice(0, at).reduce((sum, { content }) => sum + content.length, 0)),
  )
  expect(told).toMatch(/^word1 word2 word3 (word\d+ )*(w\w*)?$/)
  const words = told.trimEnd()

  expect(await runJson(folder, ['resume'])).toMatchObject({
    answer: expect.stringContaining(words),
    end: { status: 'interrupted', message: 'the program ended before the round did' },
  })
  expect((await run(folder, ['resume'])).stdout).toContain(
    '\nThe answer is not complete: the round was interrupted: the program ended before the round did\n',
  )
  const exported = (await run(folder, ['export', 'Tell'])).stdout
  expect(exported.replace(/\n> /g, '\n')).toContain(words)
  expect(exported).toContain('*This round was interrupted: the program ended before the round did*')

  const talk = new Talk(folder, ['--continue', ...flagsOf(server)], { columns: 100 })
  await talk.until('✗ interrupted: the program ended before the round did')
  expect(talk.text).toContain('word1 word2 word3')
  // The next request has the text as a cancelled round leaves it, and can be replayed.
  talk.type('Go on<enter>')
  await talk.until('I go on.')
  talk.type('<ctrl+d>')
  await talk.ended
  const { messages } = JSON.parse(server.requests.at(-1)?.body ?? '{}')
  const said = messages.filter(({ role }: { role: string }) => role === 'assistant')
  expect(said).toEqual([
    {
      role: 'assistant',
      content: `${told}\n\n[This reply was cut off here. Nothing that it asks for was carried out.]`,
    },
  ])
  expect((await run(folder, ['replay', 'Tell', '--round', '2'])).code).toBe(0)
})
