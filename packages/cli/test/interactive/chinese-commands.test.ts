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

test('H1 before the first message, and after an edit that failed, nothing is said in English', async () => {
  const folder = makeFolder({ 'a.ts': '一\n' })
  const edit = action('Edit', { path: 'a.ts', old_string: '二', new_string: '三' })
  const server = await answering(action('Read', { path: 'a.ts' }), edit, finish('好'))
  const talk = new Talk(folder, [...flagsOf(server), '--plain'], {
    ...{ columns: 200, rows: 60 },
    env: { MUTSUMI_LANG: 'zh' },
  })
  await talk.until(prompt)
  for (const command of ['/rename 新', '/export', '/model foo/bar', '/diff 9', '/undo', '改一改']) {
    const said = () => talk.text.slice(talk.text.lastIndexOf(`你：${command}\n`))
    talk.type(`${command}\r`)
    await talk.until(() => /^你：[\s\S]*\n[^\n]*你：\s*$/.test(said()))
    expect([command, englishIn(said())]).toEqual([command, []])
  }
  await leave(talk)
}, 60_000)

test('H1 a fault and a question have the marks of Chinese around their parts', async () => {
  const server = await answering(action('Write', { path: 'b.ts', content: 'x' }), finish('好'))
  const env = { MUTSUMI_LANG: 'zh' }
  const talk = new Talk(makeFolder(), flagsOf(server), { columns: 100, env })
  await talk.until('/help')
  talk.type('写<enter>')
  await talk.until('（修改文件）')
  await talk.until('（将添加 Write(b.ts)）')
  talk.type('<escape>')
  const refused = new Talk(makeFolder(), ['--model', 'openai/gpt-5'], { columns: 100, env })
  await refused.until('/help')
  refused.type('你好<enter>')
  await refused.until('模型出错：')
  await leave(refused)
})
