import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { finish } from '../support/scripted.js'
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
