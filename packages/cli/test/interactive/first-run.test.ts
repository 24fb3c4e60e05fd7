import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentDoor, withTrust } from '../../src/interactive/agent/agent-door.js'
import type { ConversationAgent } from '../../src/interactive/agent/conversation-agent.js'
import { makeFolder } from '../support/command.js'
import { flagsOf } from '../support/model-server.js'
import { action, finish, scripted } from '../support/scripted.js'
import { answering, leave, leaveWhenIdle, ready, talkTo } from './support/conversations.js'
import { Talk } from './support/talk.js'

test('P1 the mode and the model that were chosen before the folder was trusted stay', async () => {
  const used: (string | undefined)[] = []
  const lent = (parts: object) => ({ close: async () => undefined, ...parts }) as unknown as ConversationAgent
  const before = lent({
    mode: 'plan',
    session: '/s.mtm',
    models: { chosen: { model: 'a/b', baseUrl: 'http://x' } },
  })
  const after = lent({ mode: 'ask', models: { use: async (...words: string[]) => void used.push(...words) } })
  const opened: (string | undefined)[] = []
  const door: AgentDoor = {
    open: async ({ session }) => {
      opened.push(session)
      return after
    },
    trustQuestion: async () => undefined,
  }
  const opening = { door, stop: new AbortController().signal } as unknown as Parameters<typeof withTrust>[2]
  expect(await withTrust(before, { ask: async () => true }, opening)).toEqual({ agent: after, isNew: true })
  expect([after.mode, opened, used]).toEqual(['plan', ['/s.mtm'], ['a/b', 'http://x']])
})

test('P1 a newcomer is asked nothing: what they type before the start is the first prompt', async () => {
  const { folder, flags } = scripted([finish('answered')])
  const talk = new Talk(folder, flags)
  // Nobody reads the keys yet.
  talk.type('Where is it?<enter>')
  await talk.until('\nanswered\n')
  await talk.until('/help')
  expect(talk.text).toContain('\n› Where is it?\n')
  expect(existsSync(join(folder, '.mutsumi/rules'))).toBe(false)
  await leave(talk)
})

test('H1 a newcomer sees a few lines, and CLAUDE.md counts as rules', async () => {
  const talk = await ready(makeFolder({ 'CLAUDE.md': 'Be kind.\n' }), [])
  const greeting = talk.text.split('\n').slice(0, 10)
  expect(greeting[0]).toMatch(/^mutsumi \d/)
  expect(greeting[1]).toBe('Model: offline. No model is configured: it answers by searching and reading.')
  expect(greeting[2]).toContain('OPENAI_API_KEY')
  expect(talk.text).toMatch(/\nWorkspace: \S+\nSandbox: \w+\. .*\n(?:.*\n)?Rules: CLAUDE\.md\nAsk about/)
  await leave(talk)
})

test('P1 /init lets the offline model draft AGENTS.md, which is seen before it is saved and never overwritten', async () => {
  const manifest = '{"name": "shop", "description": "A small shop.", "scripts": {"test": "vitest run"}}'
  const folder = makeFolder({ 'package.json': manifest, 'src/price.ts': 'export const price = 1\n' })
  const talk = await ready(folder, ['--model', 'offline'])
  expect(talk.text).toContain('Rules: none. /init reads the project and writes AGENTS.md; you see it before')
  talk.type('/init<enter>')
  await talk.until('Write asks for your permission')
  await talk.until(/\+ # shop\n[\s\S]*\+ - `npm run test`: `vitest run`\n[\s\S]*\+ - `src\/`: `price\.ts`/)
  expect(existsSync(join(folder, 'AGENTS.md'))).toBe(false)
  await talk.answer()
  await talk.until('AGENTS.md is a plain draft')
  const draft = readFileSync(join(folder, 'AGENTS.md'), 'utf8')
  expect(draft).toContain('A small shop.')
  talk.type('/init<enter>')
  await talk.until('AGENTS.md exists: the agent improves it and does not replace it.')
  await talk.until('AGENTS.md exists, so nothing is written.')
  expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toBe(draft)
  await leaveWhenIdle(talk)
})

test('H1 a session of /init is named init, and /undo names the prompt in the language of the user', async () => {
  const server = await answering(finish('好'))
  const folder = makeFolder()
  const talk = new Talk(folder, flagsOf(server), { env: { MUTSUMI_LANG: 'zh' } })
  await talk.until('/help')
  talk.type('/init<enter>')
  await talk.until('\n好\n')
  expect(readdirSync(join(folder, '.mutsumi/sessions'))).toContain('init.mtm')
  talk.type('/undo<enter>')
  await talk.until('1  为这个项目写 AGENTS.md。')
  expect(talk.text).not.toContain('Write AGENTS.md')
  talk.type('<escape>')
  await talk.until('› 请输入')
  await leave(talk)
})

test('P1 /init sends its prompt and the wishes to another model, and shows one line of it', async () => {
  const server = await answering(finish('fine'))
  const talk = await talkTo(server, makeFolder())
  talk.type('/init in German<enter>')
  await talk.until('\nfine\n')
  expect(talk.text).toContain('› Write AGENTS.md for this project. in German')
  const [{ body = '' } = {}] = server.requests
  expect(body).toContain('Never replace either of them as a whole.')
  expect(body).toContain('\\n\\nin German')
  await leave(talk)
})

test('P1 A8 trust is asked with the first message, once, and a yes counts for that message already', async () => {
  const config = makeFolder()
  const folder = makeFolder({
    '.mutsumi/config.json': '{"projectRules": ["PIRATE.md"]}',
    'PIRATE.md': 'Speak like a pirate.\n',
  })
  const server = await answering(finish('one'), finish('two'))
  const open = () => new Talk(folder, flagsOf(server), { env: { MUTSUMI_CONFIG_DIR: config } })
  const talk = open()
  // Nobody reads the keys yet, and still the greeting comes before the question.
  talk.type('hello<enter>')
  await talk.until('Do you trust')
  expect(talk.text.indexOf('None takes effect yet')).toBeGreaterThan(0)
  expect(talk.text.indexOf('None takes effect yet')).toBeLessThan(talk.text.indexOf('PIRATE.md'))
  expect(talk.text).toContain('  setting projectRules: ["PIRATE.md"]')
  expect(talk.text).toContain('  its rules and documents may call ')
  talk.type('1 and more')
  await talk.until('› 1 and more')
  expect(existsSync(join(config, 'trusted.json'))).toBe(false)
  expect(server.requests).toHaveLength(0)
  talk.type('<ctrl+u>')
  await talk.answer('1')
  await talk.until('Trusted. mutsumi trust --remove takes it back.')
  await talk.until('\none\n')
  expect(server.requests[0]?.body).toContain('Speak like a pirate.')
  expect(readFileSync(join(config, 'trusted.json'), 'utf8')).toContain('setting projectRules')
  await leave(talk)

  writeFileSync(join(folder, '.mutsumi/config.json'), '{"maxSteps": 30}')
  const changed = open()
  await changed.until('None takes effect yet')
  changed.type('again<enter>')
  await changed.until('setting maxSteps is new: 30')
  await changed.answer('2')
  await changed.until('Not trusted: none of it takes effect.')
  await changed.until('\ntwo\n')
  await leave(changed)

  const again = open()
  await again.until('/help')
  expect(again.text).not.toContain('None takes effect yet')
  await leave(again)
})

test('P1 H1 in plain lines and in Chinese trust is asked too, and an earlier line never answers', async () => {
  const folder = makeFolder({ '.mutsumi/config.json': '{"maxSteps": 3}' })
  const write = action('Write', { path: 'new.txt', content: 'made\n' })
  const server = await answering(write, finish('好'), finish('又好'))
  const talk = new Talk(folder, [...flagsOf(server), '--plain'], { env: { MUTSUMI_LANG: 'zh' } })
  await talk.until(/你：$/)
  talk.type('写\r1\r')
  await talk.until('2. 不信任，不再询问')
  talk.type('1\r')
  await talk.until('已信任。')
  await talk.until(/请选择 1 到 \d：/)
  expect(existsSync(join(folder, 'new.txt'))).toBe(false)
  talk.type('再说一次\r')
  await talk.until('再说一次')
  await talk.until(/请选择 1 到 \d：[\s\S]*请选择 1 到 \d：/)
  talk.type('1\r')
  await talk.until('\n好\n')
  await talk.until(/你：1\n[\s\S]*又好[\s\S]*你：再说一次\n/)
  await talk.until(/你：$/)
  talk.type('<ctrl+d>')
  expect(await talk.ended).toBe(0)
})
