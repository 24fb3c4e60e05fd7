import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'
import { sentMessages } from '../support/sent-messages.js'

test('C2 T4 the model gets the number of matching lines, not the limit of the call', async () => {
  const replies = [action('Grep', { pattern: 'x', limit: 5 }), finish('fine')]
  const server = await modelServer((response) => answerWith(response, replies.shift() ?? ''))
  await run(makeFolder({ a: 'x\n'.repeat(720) }), ['-p', 'Count', ...flagsOf(server)])
  expect(sentMessages(server).at(-1)?.content).toMatch(/"total":\s*720\b/)
})

test('N2 a session is named after the first words that are not a directive', async () => {
  const folder = makeFolder()
  const prompt = '#define API v2\n@{define LEVEL, "a } b"}\n\n@{ifdef API} Check the api @{endif}'
  await run(folder, ['-p', prompt, '--model', 'offline'])
  const sessions = join(folder, '.mutsumi/sessions')
  expect(readdirSync(sessions).filter((name) => name.endsWith('.mtm'))[0]).toBe('Check-the-api.mtm')
  expect((await runJson(folder, ['sessions'])).sessions[0].title).toBe('Check the api')
})

test('A6 the offline model quotes a file that the prompt includes, with its line numbers', async () => {
  const folder = makeFolder({ 'a.txt': 'one\ntwo\nthree\n' })
  const { stdout } = await run(folder, ['-p', 'Summarize @[a.txt]', '--model', 'offline'])
  expect(stdout).toContain('`a.txt:1`:\n\n    1 | one\n    2 | two\n    3 | three\n')
})
