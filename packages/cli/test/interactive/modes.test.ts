import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { action, finish } from '../support/scripted.js'
import { answering, leaveWhenIdle, talkTo } from './support/conversations.js'

test('P2 Shift+Tab goes through the modes, the status names each, and an accepted plan becomes the todo list', async () => {
  const folder = makeFolder()
  const write = action('Write', { path: 'a.txt', content: 'planned' })
  const server = await answering(
    write,
    finish('I would do this.\n\n# Plan\n1. Write a.txt\n2. Look at it'),
    write,
    finish('It is written.'),
  )
  const talk = await talkTo(server, folder)
  await talk.until('\nask · ')
  talk.type('<shift+tab>')
  await talk.until('edits mode: ')
  talk.type('<shift+tab>')
  await talk.until('plan mode: ')
  talk.type('Write the file<enter>')
  await talk.until('Carry out this plan of 2 steps?')
  // The refused call asked nobody, and the model knows the mode.
  expect(JSON.stringify(server.requests[0])).toContain('Plan mode is on')
  expect(JSON.stringify(server.requests[1])).toContain('plan mode is on: nothing that has effects runs')
  await talk.answer()
  await talk.until('It is written.')
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('planned')
  const accepted = JSON.stringify(server.requests[2])
  expect(accepted).toContain('[0/2] Pending: Write a.txt; Look at it.')
  expect(accepted.split('Plan mode is on')).toHaveLength(2)
  expect(talk.screen).toContain('edits · ')
  expect(talk.screen).toContain('0 of 2')
  await leaveWhenIdle(talk)
})

test('P2 a plan that is not accepted stays a plan: writing on keeps plan mode', async () => {
  const plan = (step: string) => finish(`# Plan\n1. ${step}`)
  const server = await answering(plan('Write a.txt'), plan('Write b.txt'))
  const talk = await talkTo(server, makeFolder())
  talk.type('/plan Write the file<enter>')
  await talk.until('Carry out this plan of 1 step?')
  talk.type('Rather b<enter>')
  await talk.until('Write b.txt')
  await talk.until('Carry out this plan of 1 step?')
  expect(JSON.stringify(server.requests[1])).toContain('Rather b')
  await talk.answer('3')
  await talk.until(() => !talk.screen.includes('Carry out'))
  talk.type('/mode auto<enter>')
  await talk.until('auto mode: ')
  await leaveWhenIdle(talk)
})

test('P2 P1 a mode decides the question that is open: Shift+Tab may pass through others, and no yes runs in plan mode', async () => {
  const folder = makeFolder()
  const write = (path: string) => action('Write', { path, content: 'x' })
  const server = await answering(write('a.txt'), finish('First.'), write('b.txt'), finish('Second.'))
  const talk = await talkTo(server, folder)
  talk.type('go<enter>')
  await talk.until('Tab goes to this question')
  await talk.read()
  talk.type('<shift+tab>')
  await talk.until('→ allowed: edits mode is on now')
  await talk.until('First.')
  expect(existsSync(join(folder, 'a.txt'))).toBe(true)

  talk.type('/mode ask<enter>again<enter>')
  await talk.until('Tab goes to this question')
  await talk.read()
  // Through edits to plan, and then a yes.
  talk.type('<tab><shift+tab><shift+tab>')
  await talk.until('plan mode: ')
  talk.type('1')
  await talk.until('→ not allowed: plan mode is on now')
  await talk.until('Second.')
  expect(existsSync(join(folder, 'b.txt'))).toBe(false)
  expect(JSON.stringify(server.requests.at(-1))).toContain('plan mode is on: nothing that has effects runs')
  talk.type('<ctrl+u>')
  await leaveWhenIdle(talk)
})
