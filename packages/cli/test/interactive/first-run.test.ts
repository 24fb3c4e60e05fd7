import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultRules } from '@mutsumi/context'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { flagsOf } from '../support/model-server.js'
import { finish, scripted } from '../support/scripted.js'
import { answering, leave } from './support/conversations.js'
import { Talk } from './support/talk.js'

/** Somebody who has never used Mutsumi on this machine. */
function newcomer(folder: string, config: string, flags: readonly string[] = ['--model', 'offline']): Talk {
  return new Talk(folder, flags, { isNew: true, env: { MUTSUMI_CONFIG_DIR: config } })
}

test('H1 a newcomer sees a few lines, and is offered rules once', async () => {
  const [folder, config] = [makeFolder({ 'AGENTS.md': 'Be kind.\n' }), makeFolder()]
  const talk = newcomer(folder, config, [])
  await talk.until('1. Yes, in .mutsumi/rules')
  const greeting = talk.text.split('\n').slice(0, 10)
  expect(greeting[0]).toMatch(/^mutsumi \d/)
  expect(greeting[1]).toBe('Model: offline. No model is configured: it answers by searching and reading.')
  expect(greeting[2]).toContain('OPENAI_API_KEY')
  expect(talk.text).toMatch(/\nWorkspace: \S+\nSandbox: \w+\. .*\n(?:.*\n)?Rules: AGENTS\.md\nAsk about/)
  await talk.answer('2')
  await talk.until('No rules. mutsumi rules init writes them later.')
  await leave(talk)
  const again = newcomer(folder, config)
  await again.until('/help')
  await again.read()
  expect(again.text).not.toContain('no rules for its agents')
  await leave(again)
  expect(existsSync(join(folder, '.mutsumi/rules'))).toBe(false)
})

test('L3 H1 a yes creates the rules, and the first request contains them', async () => {
  const server = await answering(finish('done'))
  const folder = makeFolder()
  const talk = newcomer(folder, makeFolder(), flagsOf(server))
  await talk.until('1. Yes')
  await talk.answer()
  await talk.until(/Wrote \d+ rules? to \.mutsumi\/rules\./)
  talk.type('hello<enter>')
  await talk.until('\ndone\n')
  const [name = ''] = Object.keys(defaultRules)
  expect(server.requests[0]?.body).toContain(name)
  expect(existsSync(join(folder, '.mutsumi/rules'))).toBe(true)
  await leave(talk)
})

test('H1 somebody who types at once is not interrupted by an offer', async () => {
  const { folder, flags } = scripted([finish('answered')])
  const talk = newcomer(folder, makeFolder(), flags)
  talk.type('hello 1')
  await talk.until('/help')
  await talk.until('› hello 1')
  talk.type('<enter>')
  await talk.until('answered')
  expect(talk.text).not.toContain('no rules for its agents')
  expect(existsSync(join(folder, '.mutsumi/rules'))).toBe(false)
  await leave(talk)
})

test('A8 H1 Mutsumi asks once whether to trust a folder, with everything that trust would allow', async () => {
  const config = makeFolder({ 'offers.json': '{"refused":{"rules":["/"]}}' })
  const folder = makeFolder({ '.mutsumi/config.json': '{"maxSteps": 3}' })
  const talk = newcomer(folder, config)
  // Keys that are typed before the question can be read are not an answer.
  talk.type('1 and more')
  await talk.until('› 1 and more')
  await talk.until('1. Yes')
  expect(talk.text).toContain('  setting maxSteps: 3')
  expect(talk.text).toContain('  its rules and documents may call ')
  expect(existsSync(join(config, 'trusted.json'))).toBe(false)
  talk.type('<ctrl+u>')
  await talk.answer('1')
  await talk.until('Trusted. mutsumi trust --remove takes it back.')
  expect(readFileSync(join(config, 'trusted.json'), 'utf8')).toContain('setting maxSteps')
  await leave(talk)

  writeFileSync(join(folder, '.mutsumi/config.json'), '{"maxSteps": 30}')
  const changed = newcomer(folder, config)
  await changed.until('setting maxSteps is changed: 30')
  await changed.until('1. Yes')
  await changed.answer('2')
  await changed.until('Not trusted: none of it takes effect.')
  await leave(changed)

  const again = newcomer(folder, config)
  await again.until('/help')
  expect(again.text).not.toContain('Do you trust')
  await leave(again)
})

test('H1 the questions also work in plain lines and in Chinese', async () => {
  const [folder, config] = [makeFolder({ '.mutsumi/config.json': '{"maxSteps": 3}' }), makeFolder()]
  const env = { MUTSUMI_CONFIG_DIR: config, MUTSUMI_LANG: 'zh' }
  const talk = new Talk(folder, ['--model', 'offline', '--plain'], { isNew: true, env })
  await talk.until('2. 不信任，不再询问')
  talk.type('1\r')
  await talk.until('已信任。')
  await talk.until('2. 不创建，不再询问')
  talk.type('2\r')
  await talk.until('您：')
  talk.type('<ctrl+d>')
  expect(await talk.ended).toBe(0)
})
