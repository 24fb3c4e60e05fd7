import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { answerWith, flagsOf, type ModelServer, modelServer } from '../support/model-server.js'
import { finish } from '../support/scripted.js'
import { workspaceWith } from '../support/stored-session.js'
import { answering, leaveWhenIdle, ready, talkTo } from './support/conversations.js'
import { Talk } from './support/talk.js'

const size = { columns: 100, rows: 30 }

const messagesOf = (server: ModelServer, at: number): string =>
  JSON.parse(server.requests.at(at)?.body ?? '{}')
    .messages.map(({ content }: { content: string }) => content)
    .join('\n')

const summary = `## 📌 Archived Session Summary
*(Contains context from (from records) to (from records))*

### 🎯 Objectives & Status
* **Original Goal**: count the pelicans

### 🏗️ Technical Context (Static)
* **Stack**: (not recorded)
* **Environment**: (not recorded)

### ✅ Completed Milestones (The "Done" Pile)
* [✓] counted - there are nine

### 🧠 Key Insights & Decisions (Persistent Memory)
* **Decisions**: (not recorded)
* **Learnings**: (not recorded)
* **User Preferences**: (not recorded)

### 📂 File System State (Snapshot)
*(Modified files in this archive segment)*
* (none)`

/** A session of six rounds, each of about 1 000 tokens, and a model that can summarize it. */
async function longTalk(
  answerSummary: (answer: () => void) => void,
): Promise<{ server: ModelServer; folder: string }> {
  const server = await modelServer((response, { body }) => {
    if (!body.includes('archive the older part')) return answerWith(response, finish('fine'))
    answerSummary(() => answerWith(response, summary))
  })
  const round = (number: number) => ({ question: `question ${number}`, answer: finish('word '.repeat(600)) })
  return { server, folder: await workspaceWith({ rounds: 6, round }) }
}

test('H1 names from habit say where the same thing is, and /memory without rules names /init', async () => {
  const talk = await ready(makeFolder(), ['--model', 'offline'], size)
  talk.type('/hooks<enter>')
  await talk.until('there are no hooks')
  talk.type('/memory<enter>')
  await talk.until(/nor files in \.mutsumi\/rules\. \/init reads the\sproject and writes AGENTS\.md\.\n/)
  await leaveWhenIdle(talk)
})

test('H1 in forty columns /model shows whole reasons, and /doctor keeps its second column', async () => {
  const talk = await ready(makeFolder(), ['--model', 'offline'], { columns: 40, rows: 30 })
  talk.type('/model<enter>')
  await talk.until(/\n {2}\w+\/\S+\n {6}needs a key: set\s+\w+_API_KEY/)
  talk.type('<escape>')
  await talk.until('› Ask something')
  talk.type('/doctor<enter>')
  await talk.until(/\npermission {2}no rules \(mutsumi allow adds\n {12}one\)\n/)
  await leaveWhenIdle(talk)
})

test('H1 an error before the conversation is broken between words', async () => {
  const talk = new Talk(makeFolder(), ['--model', 'nobody-has-this-model/x'], { columns: 40, rows: 30 })
  await talk.ended
  expect(talk.text).toMatch(/^mutsumi: \S/m)
  for (const line of talk.text.split('\n').slice(0, -1)) expect(line).not.toMatch(/^\S.{39}$/)
})

test('A6 a conversation whose model has no key opens, says so with a command, and goes on with another model', async () => {
  const talk = await ready(makeFolder({ 'a.md': '# Pelicans\n' }), ['-m', 'openai/gpt-5'], size)
  await talk.until(/✗ openai\/gpt-5 needs a key: set MUTSUMI_API_KEY or OPENAI_API_KEY\. \/model lists/)
  talk.type('Where are the pelicans?<enter>')
  await talk.until(/✗ the model failed: openai\/gpt-5 needs a key[\s\S]*choose\s+another model with \/model/)
  expect(talk.text).not.toContain('--model')
  talk.type('/model offline<enter>')
  await talk.until('offline answers from now on')
  talk.type('Where are the pelicans?<enter>')
  await talk.until('a.md')
  await leaveWhenIdle(talk)
})

test('K6 /compact shows what leaves and asks; then a summary replaces it, and undo brings it back', async () => {
  const { server, folder } = await longTalk((answer) => answer())
  const talk = await ready(folder, [...flagsOf(server), '--continue'], size)
  talk.type('/compact --keep 0<enter>')
  await talk.until('--keep: takes rounds from 1 on')
  talk.type('/compact --keep 2 keep the number of birds<enter>')
  await talk.until(/4 rounds leave the view, the newest 2 stay/)
  expect(talk.text).toMatch(/before +7 \d{3} [\s\S]*after +\d \d{3}/)
  await talk.until('▸ 1. Compact')
  expect(talk.text).toContain('openai-compatible/mm writes the summary.')
  talk.type('2')
  await talk.until('› Ask something')
  expect(server.requests).toHaveLength(0)
  talk.type('/compact --keep 3k keep the number of birds<enter>')
  await talk.until('▸ 1. Compact')
  talk.type('1')
  await talk.until(/compacted: \d+ → about \d+ tokens/)
  await talk.until('Nothing is lost: /compact undo')
  expect(talk.text).toMatch(/\n {2}4 rounds leave the view/)
  expect(messagesOf(server, -1)).toContain('on what it should keep: keep the number of birds')
  talk.type('next<enter>')
  await talk.until(() => server.requests.length === 2)
  expect(messagesOf(server, -1)).toContain('count the pelicans')
  expect(messagesOf(server, -1)).not.toContain('question 1\n')
  await talk.until(/round 7 ·/)
  talk.type('/compact undo<enter>')
  await talk.until('The newest compaction is taken back')
  talk.type('and then<enter>')
  await talk.until(() => server.requests.length === 3)
  expect(messagesOf(server, -1)).toContain('question 1\n')
  expect(messagesOf(server, -1)).not.toContain('count the pelicans')
  await leaveWhenIdle(talk)
})

test('K5 Esc stops a compaction and changes nothing', async () => {
  const asked: (() => void)[] = []
  const { server, folder } = await longTalk((answer) => void asked.push(answer))
  const talk = await ready(folder, [...flagsOf(server), '--continue', '-c', 'retainRounds=2'], size)
  talk.type('/compact<enter>')
  await talk.until('▸ 1. Compact')
  talk.type('1')
  await talk.until(() => asked.length === 1)
  await talk.until('◌ Compacting')
  talk.type('<escape>')
  await talk.until('Cancelled: the history is as it was.')
  talk.type('next<enter>')
  await talk.until(() => server.requests.length === 2)
  expect(messagesOf(server, -1)).toContain('question 1\n')
  await leaveWhenIdle(talk)
})

test('H1 /copy and /export: the answer to the clipboard or a file, the session to a document', async () => {
  const replies = [finish('The **first** answer.'), finish('second 二')]
  const server = await modelServer((response) => answerWith(response, replies.shift() ?? ''))
  const folder = makeFolder()
  const talk = await ready(folder, flagsOf(server), size)
  talk.type('/copy<enter>')
  await talk.until('There is no such answer')
  talk.type('one<enter>')
  await talk.until('The first answer.')
  talk.type('two<enter>')
  await talk.until('second 二')
  talk.type('/copy<enter>')
  await talk.until('Sent 8 characters to the clipboard')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  expect(talk.sent).toContain(`\u001b]52;c;${base64('second 二')}\u0007`)
  talk.type('/copy 2<enter>')
  await talk.until('Sent 21 characters')
  expect(talk.sent).toContain(`\u001b]52;c;${base64('The **first** answer.')}\u0007`)
  talk.type('/copy file<enter>')
  await talk.until(/The answer is in (\S+answer\.md)/)
  const [, stored = ''] = /The answer is in (\S+answer\.md)/.exec(talk.text) ?? []
  expect(readFileSync(stored, 'utf8')).toBe('second 二')
  talk.type('/export<enter>')
  await talk.until(/The session is written to \S+one\.md/)
  expect(readFileSync(join(folder, 'one.md'), 'utf8')).toMatch(/The \*\*first\*\* answer\.[\s\S]*second 二/)
  talk.type('/export<enter>')
  await talk.until('already exists and was not changed')
  talk.type('/export all.json<enter>')
  await talk.until('all.json.')
  expect(JSON.parse(readFileSync(join(folder, 'all.json'), 'utf8'))).toMatchObject({ cells: [{}, {}] })
  await leaveWhenIdle(talk)
})

test('S7 a user command is offered, its parameters are asked for, and Esc cancels it', async () => {
  const server = await modelServer()
  const folder = makeFolder({
    '.mutsumi/commands/review.md':
      '---\nDescription: look at a file\nParams: [FILE, FOCUS, TONE]\n---\nReview {{FILE}} for {{FOCUS}}, tone {{TONE}}.\n',
    'src/a b.ts': 'x\n',
  })
  const talk = await ready(folder, flagsOf(server), size)
  talk.type('/rev')
  await talk.until('▸ /review  look at a file [FILE] [FOCUS] [TONE]')
  talk.type('<tab><enter>')
  await talk.until(/\/review ▸FILE FOCUS TONE: look at a file \(Enter alone leaves it out\)\n› FILE/)
  talk.type('src/a b.ts<enter>')
  await talk.until('/review FILE ▸FOCUS TONE')
  talk.type('<escape>')
  await talk.until(/› \/review$/)
  expect(server.requests).toHaveLength(0)
  talk.type(' "src/a b.ts"<enter>')
  await talk.until('/review FILE ▸FOCUS TONE')
  talk.type('say "why"<enter>')
  await talk.until('/review FILE FOCUS ▸TONE')
  talk.type('<enter>')
  await talk.until('› /review "src/a b.ts" "say \\"why\\""')
  await talk.until('\nfine\n')
  expect(messagesOf(server, -1)).toContain('Review src/a b.ts for say "why", tone {{TONE}}.')
  talk.type('/help<enter>')
  await talk.until(/ \/review +look at a file \[FILE\] \[FOCUS\] \[TONE\]/)
  // Without anything to fill in it is asked at once.
  writeFileSync(join(folder, '.mutsumi/commands/hello.md'), 'Say hello.\n')
  await talk.read()
  talk.type('/hel')
  await talk.until(/ {2}\/hello {2}a command of your own/)
  talk.type('lo<enter>')
  await talk.until(() => server.requests.length === 2)
  expect(messagesOf(server, -1)).toContain('Say hello.')
  await leaveWhenIdle(talk)
})

test('H1 /model and /protocol switch from the next round on, and say what is missing', async () => {
  const first = await modelServer((response) => answerWith(response, finish('from the first')))
  const second = await modelServer((response) => answerWith(response, 'from the second'))
  const talk = await ready(makeFolder(), flagsOf(first), size)
  talk.type('hello<enter>')
  await talk.until('\nfrom the first\n')
  talk.type('/model openai/gpt-5<enter>')
  await talk.until(/✗ .*OPENAI_API_KEY/)
  talk.type(`/model openai-compatible/other ${second.url}<enter>`)
  await talk.until('openai-compatible/other answers from now on; calls are written as react.')
  talk.type('/model openai-compatible/none http://127.0.0.1:9/v1<enter>')
  await talk.until('But openai-compatible/none does not answer now: ')
  talk.type(`/model openai-compatible/other ${second.url}<enter>`)
  await talk.until(/other answers from now on[\s\S]*other answers from now on/)
  talk.type('/protocol nativ<enter>')
  await talk.until('there is no protocol nativ')
  talk.type('/protocol native<enter>')
  await talk.until('Calls are written as native from now on.')
  talk.type('again<enter>')
  await talk.until('\nfrom the second\n')
  const { messages, tools } = JSON.parse(second.requests.at(-1)?.body ?? '{}')
  expect(JSON.stringify(messages)).toMatch(/hello.*from the first.*again/)
  expect(tools.length).toBeGreaterThan(5)
  await talk.until(/\nask · openai-compatible\/other · round 2/)
  talk.type('/model<enter>')
  await talk.until('openai-compatible/other answers.')
  await talk.until(/ {2}anthropic\/\S+ +needs a key/)
  talk.type('offline')
  await talk.until('▸ offline')
  talk.type('<enter>')
  await talk.until('offline answers from now on')
  await leaveWhenIdle(talk)
})

test('H1 commands show rules, macros, tools, permissions, servers and the last request', async () => {
  const config = makeFolder({
    'permissions.json': JSON.stringify({ rules: [{ rule: 'Bash(npm test)', decision: 'deny' }] }),
  })
  const server = await modelServer()
  const folder = makeFolder({ 'AGENTS.md': 'Be brief.\n', '.mutsumi/rules/style.md': 'Short sentences.\n' })
  const talk = await ready(folder, [...flagsOf(server), '--allow', 'Write(a.txt)', '-D', 'TEAM=blue'], {
    ...size,
    env: { MUTSUMI_CONFIG_DIR: config },
  })
  talk.type('#define GOAL birds\\<enter>hello<enter>')
  await talk.until('\nfine\n')
  talk.type('/rules<enter>')
  await talk.until(/AGENTS\.md +\d+ +\S+ +project rules\n +style\.md +\d+/)
  talk.type('/macros<enter>')
  await talk.until(/\{\{GOAL\}\} = birds\n\{\{TEAM\}\} = blue/)
  talk.type('/tools<enter>')
  await talk.until(/ {2}Bash +runs a command +runs a shell command/)
  await talk.until(/ {2}Task +reads +\w+/)
  talk.type('/mcp<enter>')
  await talk.until('There are no MCP servers.')
  talk.type('/raw<enter>')
  await talk.until(/fingerprint [0-9a-f]{64}/)
  expect(talk.text).toMatch(/── user ──\n#define GOAL birds\nhello/)
  talk.type('/permissions<enter>')
  await talk.until(
    /allow Write\(a\.txt\) \(by a flag of this run\)\n {2}deny Bash\(npm test\) \(always, everywhere\)/,
  )
  await talk.until('▸ deny Bash(npm test)')
  talk.type('<enter>')
  await talk.until('Bash(npm test) is removed.')
  expect(JSON.parse(readFileSync(join(config, 'permissions.json'), 'utf8')).rules).toEqual([])
  talk.type('/doctor<enter>')
  await talk.until(/ripgrep +/, { withinMs: 60_000 })
  talk.type('/raww<enter>')
  await talk.until('there is no command /raww; did you mean /raw?')
  await leaveWhenIdle(talk)
})

test('P1 a command that does not exist is not sent; names from habit lead to ours; a path is a prompt', async () => {
  const server = await answering(finish('fine'))
  const talk = await talkTo(server, makeFolder(), size)
  talk.type('/claer<enter>')
  await talk.until('there is no command /claer; did you mean /clear?')
  talk.type('/zzzzzz and some words<enter>')
  await talk.until('there is no command /zzzzzz, so nothing is sent')
  await talk.until('› /zzzzzz and some words')
  talk.type('<ctrl+c>')
  await talk.until('› Ask something')
  talk.type('/config<enter>')
  await talk.until('mutsumi config lists and changes settings')
  expect(server.requests).toHaveLength(0)
  talk.type('/src/index.ts what is this<enter>')
  await talk.until('\nfine\n')
  expect(messagesOf(server, -1)).toContain('/src/index.ts what is this')
  talk.type('/clear<enter>')
  await talk.until('The next message begins a new session.')
  talk.type('/cost<enter>')
  await talk.until('Nothing was sent in this session yet.')
  talk.type('/exit<enter>')
  expect(await talk.ended).toBe(0)
  expect(server.requests).toHaveLength(1)
})

test('H1 plain lines: a user command, compaction by number, and an answer in a file', async () => {
  const { server, folder } = await longTalk((answer) => answer())
  mkdirSync(join(folder, '.mutsumi/commands'), { recursive: true })
  writeFileSync(join(folder, '.mutsumi/commands/greet.md'), '---\nParams: [WHO]\n---\nGreet {{WHO}}.\n')
  const talk = new Talk(folder, [...flagsOf(server), '--plain', '--continue', '-c', 'retainRounds=2'])
  await talk.until(/You: $/)
  talk.type('/compact\r')
  await talk.until(/1\. Compact\n2\. Leave the history as it is\n/)
  talk.type('1\r')
  await talk.until('Nothing is lost: /compact undo')
  await talk.until(/You: $/)
  talk.type('/greet\r')
  await talk.until('/greet ▸WHO')
  talk.type('Ada\r')
  await talk.until(() => server.requests.length === 2)
  expect(messagesOf(server, -1)).toContain('Greet Ada.')
  await talk.until(/You: $/)
  talk.type('/copy\r')
  await talk.until(/The answer is in \S+answer\.md/)
  talk.type('/quit\r')
  expect(await talk.ended).toBe(0)
  expect(talk.sent).not.toContain('\u001b')
})
