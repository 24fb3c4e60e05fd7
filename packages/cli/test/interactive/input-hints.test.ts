import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { action, finish } from '../support/scripted.js'
import { answering, leaveWhenIdle, talkTo } from './support/conversations.js'

test('P1 a list that the user opened says that letters filter it, and not that they write a message', async () => {
  const talk = await talkTo(await answering(finish('one!')), makeFolder())
  talk.type('first<enter>')
  await talk.until('\none!\n')
  talk.type('/rewind<enter>')
  await talk.until('Go back to before which message?')
  expect(talk.screen).toContain('› Letters filter the list, Enter chooses, Esc leaves it.')
  expect(talk.screen).not.toContain('Or write a message.')
  talk.type('<escape>')
  await leaveWhenIdle(talk)
})

test('P1 a question mark shows the keys and does not stay, unless a text follows it at once', async () => {
  const talk = await talkTo(await answering(finish('one!')), makeFolder(), { rows: 50 })
  talk.type('?')
  await talk.until('go to a question that waits')
  for (const key of ['Esc Esc', 'Up', '@path', '/']) expect(talk.screen).toMatch(new RegExp(`\\n  ${key}`))
  expect(talk.screen).toContain('› Ask something')
  talk.type('<escape>')
  await talk.until(() => !talk.screen.includes('go to a question'))
  talk.type('?')
  await talk.until(() => talk.screen.includes('go to a question'))
  await new Promise((resolve) => setTimeout(resolve, 1100))
  talk.type('h')
  talk.type('i')
  await talk.until('› hi')
  expect(talk.screen).not.toContain('go to a question')
  talk.type('<ctrl+u>')
  await talk.until('› Ask something')
  talk.type('?')
  talk.type('why')
  await talk.until('› ?why')
  talk.type('<ctrl+u>')
  await talk.until('› Ask something')
  talk.type('?<enter>')
  await talk.until(/› \?\n[\s\S]*go to a question that waits/)
  await leaveWhenIdle(talk)
})

test('P2 /permissions without rules says what its mode asks about', async () => {
  const talk = await talkTo(await answering(finish('one!')), makeFolder(), { args: ['--mode', 'edits'] })
  talk.type('/permissions<enter>')
  await talk.until(
    'There are no rules yet, so the mode decides.\nedits mode: changes of files in the workspace run',
  )
  await leaveWhenIdle(talk)
})

test('P1 the status line keeps the words about Enter while a notice is shown', async () => {
  const write = action('Write', { path: 'a.txt', content: 'x' })
  const talk = await talkTo(await answering(write, finish('one!')), makeFolder(), { columns: 120 })
  talk.type('go<enter>')
  await talk.until('Tab goes to this question')
  await talk.read()
  talk.type('<tab>')
  await talk.until('Enter allows this once')
  talk.type('<shift+tab>')
  await talk.until(/\nEnter allows this once · .*edits mode: /)
  await talk.until('\none!\n')
  await leaveWhenIdle(talk)
})

test('P1 a question of a round says that Esc cancels the round', async () => {
  const write = action('Write', { path: 'a.txt', content: 'x' })
  const talk = await talkTo(await answering(write, finish('one!')), makeFolder())
  talk.type('go<enter>')
  await talk.until(/\nTab answers, Enter does nothing yet · Esc cancels the round/)
  await talk.read()
  talk.type('<tab>')
  await talk.until(/\nEnter allows this once · Esc cancels the round/)
  talk.type('<up><enter>')
  await talk.until('Enter refuses')
  expect(talk.screen).not.toContain('Esc cancels')
  talk.type('<escape>')
  await talk.until(/\nEnter lets you say why · Esc cancels the round/)
  talk.type('<escape>')
  await leaveWhenIdle(talk)
})
