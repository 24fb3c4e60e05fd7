import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { answerWith, flagsOf, modelServer } from '../support/model-server.js'
import { action, finish, scripted } from '../support/scripted.js'
import { answering, leave, talkTo } from './support/conversations.js'
import { Talk } from './support/talk.js'

// biome-ignore lint/suspicious/noControlCharactersInRegex: titles are between them.
const ownTitles = /\u001b\]2;(?:Mutsumi(?: – [a-z ]+)?)?\u0007/g

test('H1 mutsumi in a terminal greets, answers a question, and leaves with Ctrl-D', async () => {
  const { folder, flags } = scripted([finish('The **answer** is 42.')])
  const talk = new Talk(folder, flags)
  await talk.until('› Ask something')
  await talk.until('Model: scripted:')
  talk.type('What is it?<enter>')
  await talk.until('The answer is 42.')
  await talk.until(/tokens until compaction/)
  expect(talk.text).toContain('\n› What is it?\n')
  await leave(talk)
  expect(talk.text).toMatch(/To continue this session: mutsumi --session \S+\.mtm$/)
  expect(talk.text).not.toContain('› Ask something')
})

test('H1 without a key the offline model greets and answers', async () => {
  const talk = new Talk(makeFolder({ 'config.ts': 'export const config = 1\n' }), [])
  await talk.until('Model: offline')
  expect(talk.text).toContain('No model is configured')
  talk.type('Where is config defined?<enter>')
  await talk.until('config.ts')
  await talk.until(/I am the built-in offline model/)
  await leave(talk)
})

test('G3 H1 a file in brackets is in the request, and a second question is in the same session', async () => {
  const server = await answering(finish('one'), finish('two'))
  const talk = await talkTo(server, makeFolder({ 'a.ts': 'export const secretOfA = 1\n' }))
  talk.type('What does @[a.ts] do?<enter>')
  await talk.until('\none\n')
  talk.type('And then?<enter>')
  await talk.until('\ntwo\n')
  await leave(talk)
  expect(server.requests[0]?.body).toContain('secretOfA')
  const second = JSON.parse(server.requests[1]?.body ?? '{}').messages.map(
    ({ content }: { content: string }) => content,
  )
  expect(second.join('\n')).toMatch(/What does @\[a\.ts\] do\?[\s\S]*one[\s\S]*And then\?/)
})

describe('A8 approvals', () => {
  const edit = action('Edit', { path: 'a.ts', old_string: 'before', new_string: 'after' })
  const file = { 'a.ts': 'const a = "before"\n' }

  test('A8 an edit asks with its diff, and is done after a yes', async () => {
    const server = await answering(edit, finish('changed'))
    const folder = makeFolder(file)
    const talk = await talkTo(server, folder)
    talk.type('Change @[a.ts]<enter>')
    await talk.until('Edit asks for your permission')
    await talk.until('1. Yes, this once')
    expect(talk.text).toContain('1 - const a = "before"')
    expect(talk.text).toContain('1 + const a = "after"')
    expect(talk.text).toMatch(/Where: a\.ts/)
    expect(talk.text).toMatch(/Why you are asked: .*no rule allows/i)
    expect(talk.text).toContain('adds Edit(a.ts)')
    expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe(file['a.ts'])
    await talk.answer()
    await talk.until('changed')
    expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe('const a = "after"\n')
    expect(talk.text).toContain('→ allowed once')
    await leave(talk)
  })

  test('A8 a no goes to the model with its reason, and nothing is changed', async () => {
    const server = await answering(edit, finish('understood'))
    const folder = makeFolder(file)
    const talk = await talkTo(server, folder)
    talk.type('Change @[a.ts]<enter>')
    await talk.until('1. Yes, this once')
    await talk.answer('4')
    await talk.until('Why not?')
    talk.type('use b.ts instead<enter>')
    await talk.until('understood')
    expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe(file['a.ts'])
    expect(server.requests[1]?.body).toContain('the user said no: use b.ts instead')
    expect(talk.text).toContain('✗ Edit a.ts  the user said no: use b.ts instead')
    await leave(talk)
  })

  test('P1 A8 “always” is confirmed and stores its rule, and a chain of allowed parts does not ask again', async () => {
    const config = makeFolder()
    const command = action('Bash', { command: './say ran' })
    const chain = action('Bash', { command: './say ran && ./say ran' })
    const server = await answering(command, command, finish('first done'), chain, finish('second done'))
    const folder = makeFolder({ say: '#!/bin/sh\necho "$@" >> log.txt\n' })
    chmodSync(join(folder, 'say'), 0o755)
    const options = { env: { MUTSUMI_CONFIG_DIR: config }, args: ['--sandbox', 'off'] }
    const talk = await talkTo(server, folder, options)
    talk.type('go<enter>')
    await talk.until('$ ./say ran')
    await talk.until('No sandbox confines this command.')
    await talk.until('1. Yes, this once')
    expect(talk.text).toContain('(adds Bash(./say ran))')
    await talk.answer('<down><down>')
    await talk.until('▸ 3. Yes, always in this workspace')
    talk.type('<enter>')
    await talk.until('Always? This adds Bash(./say ran) to')
    await talk.read()
    talk.type('<enter>')
    await talk.until('first done')
    expect(talk.text).toContain('→ allowed always: Bash(./say ran)')
    expect(talk.text.match(/asks for your permission/g)).toHaveLength(1)
    await leave(talk)
    const stored = JSON.parse(readFileSync(join(config, 'permissions.json'), 'utf8'))
    expect(stored.rules.map(({ rule }: { rule: string }) => rule)).toEqual(['Bash(./say ran)'])
    const again = await talkTo(server, folder, options)
    again.type('go on<enter>')
    await again.until('second done')
    expect(again.text).not.toContain('asks for your permission')
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('ran\n'.repeat(4))
    await leave(again)
  })

  test('P1 A8 keys that are not an answer belong to the input, and Esc cancels the round', async () => {
    const server = await answering(edit, finish('never'))
    const folder = makeFolder(file)
    const talk = await talkTo(server, folder)
    talk.type('Change @[a.ts]<enter>')
    await talk.until('1. Yes, this once')
    talk.type('<enter>')
    await talk.until('nothing is answered yet: Tab goes to the question')
    await talk.answer('y')
    await talk.until('› y')
    talk.type('<tab>7 ')
    talk.paste('and more')
    await talk.until('› y7 and more')
    expect(talk.screen).toContain('Tab goes to this question when the input is empty.')
    talk.type('<escape>')
    await talk.until('✗ cancelled')
    expect(talk.screen).toContain('› y7 and more')
    expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe(file['a.ts'])
    talk.type('<ctrl+u>')
    await leave(talk)
  })
})

test('H1 Esc cancels a model that never ends, and the next question is answered', async () => {
  let count = 0
  const server = await modelServer((response) => {
    if (count++ > 0) return answerWith(response, finish('fine'))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = { choices: [{ index: 0, delta: { content: 'Thought: t\nAction: Finish[begun ' } }] }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  })
  const talk = await talkTo(server, makeFolder())
  talk.type('begin<enter>')
  await talk.until('begun')
  talk.type('<escape>')
  await talk.until('✗ cancelled')
  talk.type('again<enter>')
  await talk.until('fine')
  await leave(talk)
})

test('H1 Esc cancels a running command', async () => {
  const { folder, flags } = scripted([
    action('Bash', { command: 'echo started; sleep 100' }),
    finish('never'),
  ])
  const talk = new Talk(folder, [...flags, '--allow', 'Bash', '--sandbox', 'off'])
  await talk.until('/help')
  talk.type('run<enter>')
  await talk.until(/◌ Bash echo started; sleep 100[\s\S]*\n {2}started\n/)
  talk.type('<escape>')
  await talk.until('✗ cancelled')
  await leave(talk)
})

test('H1 a message typed while the agent works is queued and asked afterwards', async () => {
  const held: (() => void)[] = []
  const server = await modelServer((response, { body }) => {
    if (body.includes('second question')) return answerWith(response, finish('answer two'))
    held.push(() => answerWith(response, finish('answer one')))
  })
  const talk = await talkTo(server, makeFolder())
  talk.type('first question<enter>')
  await talk.until(() => held.length === 1)
  talk.type('second question<enter>')
  await talk.until('queued: second question')
  held[0]?.()
  await talk.until('answer two')
  expect(talk.text).toMatch(/answer one[\s\S]*› second question[\s\S]*answer two/)
  expect(server.requests).toHaveLength(2)
  await leave(talk)
})

test('H1 queued messages come back into the input if the round is cancelled', async () => {
  const server = await modelServer(() => undefined)
  const talk = await talkTo(server, makeFolder())
  talk.type('first<enter>')
  await talk.until(() => server.requests.length === 1)
  talk.type('second<enter>')
  await talk.until('queued: second')
  talk.type('<escape>')
  await talk.until('✗ cancelled')
  await talk.until('› second')
  expect(server.requests).toHaveLength(1)
  talk.type('<ctrl+c>')
  await talk.until('press Ctrl-C again to leave')
  talk.type('<ctrl+c>')
  expect(await talk.ended).toBe(0)
})

test('H1 the scrollback is complete after two thousand lines, on a small screen', async () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `line ${index} of the answer`)
  const { folder, flags } = scripted([finish(lines.join('\n'))])
  const talk = new Talk(folder, flags, { rows: 10 })
  await talk.until('/help')
  talk.type('go<enter>')
  const shown = () => talk.terminal.lines.filter((line) => /^line \d+ of the answer$/.test(line))
  await talk.until(() => shown().length >= lines.length)
  await leave(talk)
  expect(shown()).toEqual(lines)
})

test('H1 code is printed ready to copy: at the left edge, in whole lines', async () => {
  const code = `const long = "${'x'.repeat(200)}"`
  const { folder, flags } = scripted([finish(`Look:\n\n\`\`\`ts\n${code}\n  indented()\n\`\`\`\n\nDone.`)])
  const talk = new Talk(folder, flags, { columns: 60 })
  await talk.until('/help')
  talk.type('go<enter>')
  await talk.until('Done.')
  expect(talk.terminal.lines).toContain(code)
  expect(talk.terminal.lines).toContain('  indented()')
  await leave(talk)
})

test('H1 neither a hostile file nor a hostile model can control the terminal', async () => {
  const hostile = 'a\u001b]0;owned\u0007\u001b[2J\u001b[?1049h\u009b31mb\u202e'
  const { folder, flags } = scripted(
    [
      action('Bash', { command: 'cat evil.txt' }),
      finish(`text ${hostile}\n\n\`\`\`\n${hostile}\n\`\`\`\n[l](http://x/${hostile})`),
    ],
    { 'evil.txt': hostile },
  )
  const talk = new Talk(folder, [...flags, '--allow', 'Bash', '--sandbox', 'off'])
  await talk.until('/help')
  const before = talk.sent.length
  talk.type('go<enter>')
  await talk.until(/text a\\u001b\]0;owned/)
  talk.type('<ctrl+o>')
  await talk.until('Bash cat evil.txt')
  await leave(talk)
  for (const sequence of ['\u001b]0', '\u001b[2J', '\u001b[3J', '\u001b[?1049', '\u0007', '\u009b', '\u202e'])
    expect(talk.sent.slice(before).replace(ownTitles, '')).not.toContain(sequence)
  expect(talk.terminal.isAlternate).toBe(false)
})

test('H1 Ctrl-O shows the whole output of the last tool', async () => {
  const { folder, flags } = scripted([action('Bash', { command: 'seq 1 30' }), finish('counted')])
  const talk = new Talk(folder, [...flags, '--allow', 'Bash', '--sandbox', 'off'])
  await talk.until('/help')
  talk.type('<ctrl+o>')
  await talk.until('there is nothing to open yet')
  talk.type('count<enter>')
  await talk.until('counted')
  expect(talk.text).not.toMatch(/^17$/m)
  talk.type('<ctrl+o>')
  await talk.until(/^17$/m)
  expect(talk.text).toMatch(/^Bash seq 1 30\n/m)
  await leave(talk)
})

test('H1 a long paste is a mark, and the model gets all of it', async () => {
  const server = await answering(finish('read'))
  const talk = await talkTo(server, makeFolder())
  talk.type('see ')
  talk.paste(Array.from({ length: 120 }, (_, index) => `pasted ${index}`).join('\n'))
  await talk.until('› see [pasted 120 lines]')
  talk.type('<enter>')
  await talk.until('\nread\n')
  expect(server.requests[0]?.body).toContain('pasted 0\\npasted 1\\n')
  expect(server.requests[0]?.body).toContain('pasted 119')
  expect(talk.text).not.toContain('pasted 119')
  await leave(talk)
})

test('H1 the input has several lines, history, search and an external editor', async () => {
  const config = makeFolder({ 'editor.sh': '#!/bin/sh\nprintf "from the editor: $(cat "$1")" > "$1"\n' })
  chmodSync(join(config, 'editor.sh'), 0o755)
  const env = { MUTSUMI_CONFIG_DIR: config, EDITOR: join(config, 'editor.sh') }
  const server = await answering(finish('ok one'), finish('ok two'), finish('ok three'))
  const folder = makeFolder()
  const talk = await talkTo(server, folder, { env })
  talk.type('one\\<enter>two<alt+enter>three<enter>')
  await talk.until('ok one')
  expect(server.requests[0]?.body).toContain('one\\ntwo\\nthree')
  talk.type('<up>')
  await talk.until(/› one\n {2}two\n {2}three$/)
  talk.type(' more<enter>')
  await talk.until('ok two')
  await leave(talk)
  const again = await talkTo(server, folder, { env })
  again.type('<ctrl+r>thre')
  await again.until('search: thre')
  again.type('<enter>')
  await again.until(/› one\n {2}two\n {2}three more$/)
  again.type('<ctrl+c>draft<ctrl+g>')
  await again.until('› from the editor: draft')
  again.type('<enter>')
  await again.until('ok three')
  await leave(again)
})

test('H1 in forty columns no line is wider, and nothing is missing', async () => {
  const { folder, flags } = scripted([finish('A paragraph that is longer than forty columns are wide.')])
  const talk = new Talk(folder, flags, { columns: 40, rows: 12 })
  await talk.until('/help')
  talk.type('a question that needs more than one row of the input, really<enter>')
  await talk.until('columns are wide.')
  expect(talk.text).toContain('A paragraph that is longer than forty\ncolumns are wide.')
  await leave(talk)
})

test('H1 the screen follows its terminal to another size, and no line is lost or doubled', async () => {
  const { folder, flags } = scripted([finish('first answer'), finish('second answer')])
  const talk = new Talk(folder, flags, { columns: 110, rows: 20 })
  await talk.until('/help')
  talk.type('one<enter>')
  await talk.until('first answer')
  await talk.until('round 1')
  for (const [columns, rows] of [
    [60, 20],
    [50, 12],
    [120, 30],
  ] as const) {
    talk.resize(columns, rows)
    await talk.until(() => talk.screen.includes('tokens until compaction'))
  }
  talk.type('two<enter>')
  await talk.until('second answer')
  await leave(talk)
  for (const once of ['first answer', 'second answer', '› one', '› two', 'Workspace:'])
    expect([once, talk.text.split(once).length - 1]).toEqual([once, 1])
  expect(talk.text).not.toContain('› Ask something')
})

test('H1 Chinese by locale or by MUTSUMI_LANG', async () => {
  const { folder, flags } = scripted([finish('终端里的中文。')])
  const talk = new Talk(folder, flags, { env: { MUTSUMI_LANG: 'zh' } })
  await talk.until('› 请输入问题')
  await talk.until('模型：scripted')
  talk.type('你好<enter>')
  await talk.until('终端里的中文。')
  expect(talk.text).toContain('› 你好')
  await talk.until(/距离压缩还有/)
  await leave(talk)
})

test('H1 NO_COLOR turns colours off', async () => {
  const { folder, flags } = scripted([finish('```ts\nconst a = 1\n```')])
  const talk = new Talk(folder, flags, { env: { NO_COLOR: '1' } })
  await talk.until('/help')
  talk.type('go<enter>')
  await talk.until('const a = 1')
  await leave(talk)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with Esc.
  expect(talk.sent).not.toMatch(/\u001b\[[\d;]*(?:3[0-7]|9[0-7])m/)
})

test('H1 commands: help, an unknown one, the context and the model', async () => {
  const server = await answering(finish('fine'))
  const talk = await talkTo(server, makeFolder({ 'AGENTS.md': 'Be brief.\n' }))
  talk.type('/he')
  await talk.until('▸ /help  list commands and keys')
  talk.type('<tab><enter>')
  await talk.until(/^ {2}\/quit +leave$/m)
  talk.type('/hlep<enter>')
  await talk.until('there is no command /hlep; did you mean /help?')
  talk.type('/model<enter>')
  await talk.until('openai-compatible/mm answers.')
  await talk.until('Which model should answer')
  talk.type('<escape>')
  await talk.until('› Ask something')
  talk.type('/context<enter>')
  await talk.until(/L2 {2}project rules/)
  talk.type('hello<enter>')
  await talk.until('fine')
  talk.type('/context<enter>')
  await talk.until(/L3 {2}history +[1-9]/)
  // The list of models asks the server for its names.
  expect(server.requests.filter(({ path }) => !path.endsWith('/models'))).toHaveLength(1)
  talk.type('/quit<enter>')
  expect(await talk.ended).toBe(0)
})

test('H1 whatever happens, the shell gets its terminal back as it was', async () => {
  const { folder, flags } = scripted([finish('fine')])
  const talk = new Talk(folder, flags)
  await talk.until('/help')
  talk.type('<ctrl+d>')
  await talk.ended
  const count = (sequence: string) => talk.sent.split(sequence).length - 1
  expect(count('\u001b[>5u')).toBe(count('\u001b[<u'))
  expect(talk.sent.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(talk.sent.lastIndexOf('\u001b[?2004h'))
  expect(talk.sent.lastIndexOf('\u001b[?25h')).toBeGreaterThan(talk.sent.lastIndexOf('\u001b[?25l'))
  expect(talk.sent.lastIndexOf('\u001b[?7h')).toBeGreaterThan(talk.sent.lastIndexOf('\u001b[?7l'))
})

test('H1 a wrong setting ends the conversation with the message and exit code of -p', async () => {
  const talk = new Talk(makeFolder(), ['-c', 'nosuch=1'])
  expect(await talk.ended).toBe(2)
  expect(talk.text).toContain('nosuch')
  expect(talk.sent.lastIndexOf('\u001b[<u')).toBeGreaterThan(talk.sent.lastIndexOf('\u001b[>5u'))
})

describe('H1 plain lines', () => {
  test('H1 --plain talks in lines, asks with numbers, and sends no sequence', async () => {
    const edit = action('Write', { path: 'new.txt', content: 'made\n' })
    const server = await answering(edit, finish('**done** it'))
    const folder = makeFolder()
    const talk = new Talk(folder, [...flagsOf(server), '--plain'])
    await talk.until('You: ')
    talk.type('make it\r')
    await talk.until('Write asks for your permission')
    await talk.until(/1\. Yes, this once\n2\. /)
    expect(talk.text).toContain('1 + made')
    talk.type('9\r')
    talk.type('1\r')
    await talk.until('**done** it')
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('made\n')
    expect(talk.text.match(/1 \+ made/g)).toHaveLength(1)
    await talk.until(/You: $/)
    talk.type('/quit\r')
    expect(await talk.ended).toBe(0)
    expect(talk.sent).not.toContain('\u001b')
  })

  test('H1 a terminal that cannot move its cursor gets plain lines too, and Ctrl-C cancels', async () => {
    const server = await modelServer(() => undefined)
    const talk = new Talk(makeFolder(), flagsOf(server), { env: { TERM: 'dumb' } })
    await talk.until('You: ')
    talk.type('wait\r')
    await talk.until(() => server.requests.length === 1)
    talk.type('<ctrl+c>')
    await talk.until('✗ cancelled')
    talk.type('<ctrl+d>')
    expect(await talk.ended).toBe(0)
    expect(talk.sent).not.toContain('\u001b')
  })
})
