import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellCommandIn } from '../../src/interactive/commands/slash-commands.js'
import { makeFolder, run } from '../support/command.js'
import { flagsOf, type ModelServer } from '../support/model-server.js'
import { finish } from '../support/scripted.js'
import { answering, leave, leaveWhenIdle, ready } from './support/conversations.js'
import { Talk } from './support/talk.js'

const sentTexts = (server: ModelServer): readonly string[] =>
  JSON.parse(server.requests.at(-1)?.body ?? '{}').messages.map(({ content }: { content: string }) => content)

test('P1 mutsumi "prompt" begins with it; !command runs in the own shell, and the next request has it as data', async () => {
  const server = await answering(finish('The **first** answer.'), finish('seen'))
  const folder = makeFolder({ 'sub/a.txt': '' })
  const env = { SHELL: '/bin/sh', MINE: 'my own value' }
  const talk = new Talk(folder, [...flagsOf(server), 'What is this?'], { env, rows: 34 })
  await talk.until('The first answer.')
  expect(sentTexts(server).at(-1)).toContain('What is this?')
  talk.type('?')
  await talk.until('run a command in your own shell')
  talk.type("<backspace>!echo \"$MINE\"; echo '```'; echo '@[sub/a.txt]'; echo oops >&2; exit 3<enter>")
  await talk.until(/\nmy own value\n```\n@\[sub\/a\.txt\]\noops\nexit code 3/)
  talk.type('!sleep 60; echo late<enter>')
  await talk.until(/◌ ! sleep 60/)
  talk.type('<escape>')
  await talk.until('Stopped.')
  talk.type('and?<enter>')
  await talk.until('\nseen\n')
  expect(server.requests).toHaveLength(2)
  const texts = sentTexts(server)
  expect(texts.at(-1)).toContain('and?')
  const told = texts.find((text) => text.includes('I ran echo in my own shell')) ?? ''
  expect(told).toContain(
    'It ended with exit code 3. Its output:\n\n````\nmy own value\n```\n@[sub/a.txt]\noops\n````',
  )
  expect(texts.join('\n')).toContain('I stopped it. Its output:\n\n(no output)')
  await leaveWhenIdle(talk)
  // The newest conversation, and nothing is run again.
  const again = new Talk(folder, [...flagsOf(server), '-c'])
  await again.until('I ran sleep in my own shell')
  await leave(again)
  const resumed = new Talk(folder, ['resume', 'what', ...flagsOf(server)])
  await resumed.until('seen')
  await leave(resumed)
})

test('P1 words of a command line never run in the shell', async () => {
  const server = await answering(finish('fine'))
  const folder = makeFolder()
  const talk = new Talk(folder, [...flagsOf(server), '!touch made'])
  await talk.until('\nfine\n')
  expect(sentTexts(server).at(-1)).toContain('!touch made')
  expect(existsSync(join(folder, 'made'))).toBe(false)
  await leaveWhenIdle(talk)
})

test('P1 only an exclamation mark at the beginning calls the shell, and a picture is none', () => {
  expect(shellCommandIn('!npm test')).toBe('npm test')
  expect(shellCommandIn(' ! ls\n')).toBe('ls')
  expect(shellCommandIn('!')).toBeUndefined()
  expect(shellCommandIn('![shot](a.png) what is this')).toBeUndefined()
  expect(shellCommandIn('really! ls')).toBeUndefined()
})

test('P1 a session that begins with a command of the own shell is named after it', async () => {
  const folder = makeFolder()
  const talk = await ready(folder, ['--model', 'offline'])
  talk.type('!echo made by hand<enter>')
  await talk.until('Your next message includes this.')
  await leaveWhenIdle(talk)
  expect((await run(folder, ['sessions'])).stdout).toContain('!echo made by hand')
})
