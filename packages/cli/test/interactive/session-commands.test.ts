import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { flagsOf, type ModelServer } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'
import { workspaceWith } from '../support/stored-session.js'
import { answering, leave, ready } from './support/conversations.js'
import { Talk } from './support/talk.js'

const sessionsIn = (folder: string) =>
  readdirSync(join(folder, '.mutsumi', 'sessions'))
    .filter((name) => name.endsWith('.mtm'))
    .sort()

const messagesOf = (server: ModelServer, at: number): string =>
  JSON.parse(server.requests.at(at)?.body ?? '{}')
    .messages.map(({ content }: { content: string }) => content)
    .join('\n')

test('N2 a session is found by words in it, opened with its last rounds, and continues', async () => {
  const server = await answering(
    finish('The harbour is **blue**.'),
    action('Read', { path: 'a.ts' }),
    finish('Nothing about pelicans here.'),
    finish('Welcome back.'),
  )
  const folder = makeFolder({ 'a.ts': 'one\ntwo\n' })
  const flags = flagsOf(server)
  await run(folder, ['-p', 'What colour is the harbour?', ...flags])
  await run(folder, ['-p', 'Count the birds', ...flags])
  const talk = await ready(folder, flags)
  talk.type('/resume<enter>')
  await talk.until(/▸ Count the birds +1 round · /)
  talk.type('pelic')
  await talk.until('▸ Count the birds')
  await talk.until('round 1: Nothing about pelicans here.')
  talk.type('<enter>')
  await talk.until(/\n› Count the birds\n[\s\S]*pelicans here\.\n\n/)
  expect(talk.text).toMatch(/● Read a\.ts {2}lines 1 to 2 of 2\n[\s\S]*Nothing about pelicans here\.\n/)
  await talk.until(/ · round 1 · /)
  talk.type('and now?<enter>')
  await talk.until('Welcome back.')
  expect(messagesOf(server, -1)).toMatch(/Count the birds[\s\S]*pelicans[\s\S]*and now\?/)
  // By its name.
  talk.type('/resume what colour<enter>')
  await talk.until('The harbour is blue.')
  talk.type('/sessions<enter>')
  await talk.until(/What colour is the harbour\?\s+open now · 1 round/)
  expect(talk.text).toMatch(/Count the birds\s+2 rounds/)
  await leave(talk)
  expect(sessionsIn(folder)).toHaveLength(2)
})

test('N2 mutsumi resume without a name says which session it continues, and compact --preview takes the same', async () => {
  const folder = await workspaceWith({ rounds: 2 })
  const talk = await ready(folder, ['resume', '--model', 'offline'])
  expect(talk.text).toContain('\nSession: talk\n')
  await leave(talk)
  const { code, stdout } = await run(folder, ['compact', '--preview'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('talk.mtm')])
})

test('N2 N3 a session that another terminal writes is offered as a fork, and what was typed early is kept', async () => {
  const server = await answering(finish('one!'), finish('two!'))
  const folder = makeFolder()
  const first = await ready(folder, flagsOf(server))
  first.type('hello<enter>')
  await first.until('\none!\n')
  const second = new Talk(folder, ['-c', ...flagsOf(server)])
  second.type('typed early')
  await second.until('Another process is writing')
  await second.until('typed early')
  expect(second.text).not.toContain('remove')
  second.type('<ctrl+u><tab>')
  await second.until('▸ 1. Yes, fork it')
  second.type('<enter>')
  await second.until('This conversation continues in a copy: ')
  await second.until('› hello')
  second.type('and now?<enter>')
  await second.until('\ntwo!\n')
  await leave(second)
  expect(sessionsIn(folder)).toHaveLength(2)
  const third = new Talk(folder, ['resume', 'hello.mtm', ...flagsOf(server)], {
    env: { MUTSUMI_LANG: 'zh' },
  })
  await third.until('另一个进程正在写入')
  third.type('<tab>2')
  expect(await third.ended).toBe(1)
  expect(third.text).toMatch(/mutsumi fork \S+ 复制它/)
  expect(third.text).not.toMatch(/请删除|remove/)
  await leave(first)
})

test('N2 Esc Esc goes back to the moment before a message: in a copy, with the message in the input', async () => {
  const server = await answering(finish('one!'), finish('two!'), finish('three!'), finish('other!'))
  const folder = makeFolder()
  const talk = await ready(folder, flagsOf(server))
  for (const [question, answer] of [
    ['first', 'one!'],
    ['second', 'two!'],
    ['third', 'three!'],
  ] as const) {
    talk.type(`${question}<enter>`)
    await talk.until(`\n${answer}\n`)
  }
  talk.type('<escape>')
  await talk.until('Esc again goes back to an earlier message')
  talk.type('<escape>')
  await talk.until('Go back to before which message?')
  await talk.until(/▸ third +round 3\n {2}second +round 2\n {2}first +round 1/)
  talk.type('<down><enter>')
  await talk.until('You are in a copy now: first-fork.mtm')
  await talk.until(/› second$/)
  talk.type(' again<enter>')
  await talk.until('\nother!\n')
  const sent = messagesOf(server, -1)
  expect(sent).toMatch(/first[\s\S]*one![\s\S]*second again$/)
  expect(sent).not.toContain('two!')
  await leave(talk)
  expect(sessionsIn(folder)).toEqual(['first-fork.mtm', 'first.mtm'])
  const old = await run(folder, ['export', 'first.mtm'])
  expect(old.stdout).toContain('three!')
})

test('N2 rename, fork and new: the session that is open follows', async () => {
  const server = await answering(finish('one!'), finish('two!'), finish('three!'))
  const folder = makeFolder()
  const talk = await ready(folder, flagsOf(server))
  talk.type('/rename too early<enter>')
  await talk.until('✗ there is no session yet')
  talk.type('first<enter>')
  await talk.until('\none!\n')
  talk.type('/rename<enter>')
  await talk.until(/The title of this session:\n› first$/)
  talk.type(' things<enter>')
  await talk.until('This session is called "first things" now, in first-things.mtm.')
  talk.type('/fork<enter>')
  await talk.until('You are in a copy now: first-things-fork.mtm.')
  talk.type('more<enter>')
  await talk.until('\ntwo!\n')
  expect(messagesOf(server, -1)).toMatch(/first[\s\S]*one![\s\S]*more$/)
  talk.type('/new<enter>')
  await talk.until('The next message begins a new session.')
  talk.type('alone<enter>')
  await talk.until('\nthree!\n')
  expect(messagesOf(server, -1)).not.toContain('one!')
  await leave(talk)
  expect(sessionsIn(folder)).toEqual(['alone.mtm', 'first-things-fork.mtm', 'first-things.mtm'])
})

test('A8 a yes for the session ends with the session', async () => {
  const write = action('Write', { path: 'a.txt', content: 'made\n' })
  const server = await answering(write, finish('one!'), write, finish('two!'))
  const folder = makeFolder()
  const talk = await ready(folder, flagsOf(server))
  talk.type('first<enter>')
  await talk.answer('2')
  await talk.until('\none!\n')
  talk.type('/permissions<enter>')
  await talk.until(/allow Write\(a\.txt\) \(for this session\)/)
  talk.type('<escape>')
  await talk.until('› Ask something')
  talk.type('/new<enter>')
  await talk.until('The next message begins a new session.')
  talk.type('/permissions<enter>')
  await talk.until('There are no rules yet')
  // The new session has not read the file, so a Write over it would fail before anybody is asked.
  rmSync(join(folder, 'a.txt'))
  talk.type('second<enter>')
  await talk.until('1. Yes, this once')
  talk.type('<escape>')
  await talk.until('✗ cancelled')
  await leave(talk)
})

test('N2 a session that is continued shows its last rounds and how many came before', async () => {
  const folder = await workspaceWith({ rounds: 5 })
  const talk = await ready(folder, ['--model', 'offline', '--continue'])
  await talk.until('Answer to Question 5')
  expect(talk.text).toMatch(
    /… 2 earlier rounds; [\s\S]*› Question 3[\s\S]*Answer to Question 3[\s\S]*› Question 5/,
  )
  expect(talk.text).not.toContain('Question 2')
  await leave(talk)
})

test('H1 plain lines: resume by search, and back to an earlier message', async () => {
  const server = await answering(finish('three!'))
  const texts = [
    { question: 'first', answer: finish('one!') },
    { question: 'second', answer: finish('two!') },
  ]
  const round = (number: number) => texts[number - 1] ?? { question: '', answer: '' }
  const folder = await workspaceWith({ rounds: 2, round })
  const talk = new Talk(folder, [...flagsOf(server), '--plain'])
  await talk.until('You: ')
  talk.type('/resume two!\r')
  await talk.until(/1\. first {2}round 2: two!\n/)
  talk.type('1\r')
  await talk.until(/second\n[\s\S]*two!/)
  talk.type('/back\r')
  await talk.until(/1\. second {2}round 2\n2\. first {2}round 1\n/)
  talk.type('1\r')
  await talk.until('Your message was: second')
  talk.type('other\r')
  await talk.until('three!')
  expect(messagesOf(server, -1)).toMatch(/first[\s\S]*one![\s\S]*other$/)
  talk.type('/quit\r')
  expect(await talk.ended).toBe(0)
  expect(talk.sent).not.toContain('\u001b')
})
