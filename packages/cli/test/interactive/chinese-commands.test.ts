import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { englishIn } from '../support/english-in.js'
import { flagsOf } from '../support/model-server.js'
import { action, finish } from '../support/scripted.js'
import { answering, leave } from './support/conversations.js'
import { Talk } from './support/talk.js'

const prompt = /你：$/

test('H1 the commands of a conversation say nothing in English', async () => {
  const folder = makeFolder({ 'a.ts': '一\n' })
  const server = await answering(action('Read', { path: 'nofile.ts' }), finish('好'))
  const talk = new Talk(folder, [...flagsOf(server), '--plain'], {
    ...{ columns: 200, rows: 60 },
    env: { MUTSUMI_LANG: 'zh' },
  })
  await talk.until(prompt)
  talk.type('看看 @a.ts 与 @[没有.ts]\r')
  await talk.until('\n好\n')
  await talk.until(prompt)
  const commands = ['/help', '/usage', '/doctor', '/compact --keep x', '/compact', '/permissions']
  const english: Record<string, readonly string[]> = {}
  // Not /tools: it shows each tool in the words that the model reads.
  for (const command of [...commands, '/mode x', '/mode', '/nosuch', '/model nobody/x']) {
    const said = () => talk.text.slice(talk.text.lastIndexOf(`你：${command}\n`))
    talk.type(`${command}\r`)
    await talk.until(() => /^你：\/[\s\S]*\n[^\n]*(?:你|请选择[^\n]*)：\s*$/.test(said()))
    const found = englishIn(said())
    if (found.length > 0) english[command] = found
    if (prompt.test(talk.text)) continue
    talk.type('\r')
    await talk.until(prompt)
  }
  expect(english).toEqual({})
  await leave(talk)
}, 60_000)
