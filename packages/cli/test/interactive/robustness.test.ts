import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder, mutsumi, nobody } from '../support/command.js'
import { modelServer } from '../support/model-server.js'
import { finish, scripted } from '../support/scripted.js'
import { leave, talkTo } from './support/conversations.js'
import { Talk } from './support/talk.js'

/** A model whose answer the test gives piece by piece. */
async function dictated() {
  let response: ServerResponse | undefined
  const server = await modelServer((given) => {
    given.writeHead(200, { 'content-type': 'text/event-stream' })
    response = given
  })
  const send = (choice: object) =>
    response?.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
  return {
    server,
    isAsked: () => response !== undefined,
    say: (content: string) => send({ delta: { content } }),
    end: () => {
      send({ delta: {}, finish_reason: 'stop' })
      response?.end('data: [DONE]\n\n')
    },
  }
}

test('H1 a terminal that changes its size while an answer streams loses no line of it', async () => {
  const model = await dictated()
  const talk = await talkTo(model.server, makeFolder(), { columns: 100, rows: 20 })
  talk.type('go<enter>')
  await talk.until(model.isAsked)
  model.say('Thought: t\nAction: Finish[')
  const lines = Array.from({ length: 120 }, (_, index) => `line ${index}, with 漢字 and 👩‍🚀 in it`)
  const sizes = [
    [60, 20],
    [44, 12],
    [120, 30],
    [40, 10],
    [90, 24],
  ] as const
  for (const [index, line] of lines.entries()) {
    const size = index % 20 === 10 ? sizes[Math.floor(index / 20)] : undefined
    if (size) {
      // Nothing is on its way any more, so it is known how the terminal arranged what it shows.
      await talk.until(`line ${index - 1},`)
      await new Promise((resolve) => setTimeout(resolve, 100))
      talk.resize(size[0], size[1])
    }
    model.say(`${line}\n\n`)
  }
  model.say('the end]')
  model.end()
  await talk.until('the end')
  await talk.until(/tokens until compaction/)
  await leave(talk)
  const shown = talk.terminal.lines.filter((line) => /^line \d+, with/.test(line))
  expect(shown).toEqual(lines)
})

test('H1 Chinese and emoji take the right number of columns, and the cursor is at their end', async () => {
  const { folder, flags } = scripted([finish('| 名字 | emoji |\n|---|---|\n| 王小明 | 👩‍🚀 |\n| Al | x |')])
  const talk = new Talk(folder, flags)
  await talk.until('/help')
  talk.type('你好👩‍🚀e\u0301')
  await talk.until('› 你好👩‍🚀e\u0301')
  await talk.until(() => talk.terminal.cursor.column === 2 + 4 + 2 + 1)
  talk.type('<left><backspace>')
  await talk.until(() => talk.terminal.cursor.column === 2 + 4)
  expect(talk.screen).toContain('› 你好e\u0301')
  talk.type('<enter>')
  await talk.until('王小明')
  await talk.until(/tokens until compaction/)
  await leave(talk)
  const [one = '', other = ''] = talk.terminal.lines.filter((line) => /王小明|\bAl\b/.test(line))
  expect(columnsBefore(one, '👩‍🚀')).toBe(columnsBefore(other, 'x'))
})

test('H1 a terminal that goes away while the external editor is open ends Mutsumi', async () => {
  const config = makeFolder({ 'editor.sh': '#!/bin/sh\ntouch "$0.open"\nexec cat > /dev/null\n' })
  const editor = join(config, 'editor.sh')
  chmodSync(editor, 0o755)
  const { folder, flags } = scripted([finish('done')])
  const talk = new Talk(folder, flags, { env: { MUTSUMI_CONFIG_DIR: config, EDITOR: editor, VISUAL: '' } })
  await talk.until('/help')
  talk.type('!sleep 60<enter>')
  await talk.until('Esc')
  talk.type('a draft<ctrl+g>')
  await talk.until(() => existsSync(`${editor}.open`))
  const { pid } = talk
  talk.hangUp()
  await expect.poll(() => isRunning(pid), { timeout: 3000 }).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Columns of a row before some word; Chinese takes two each. */
function columnsBefore(row: string, word: string): number {
  const before = row.slice(0, row.indexOf(word))
  return before.length + (before.match(/\p{Script=Han}/gu)?.length ?? 0)
}

test('P6 a reply that stalls says so and counts the seconds', async () => {
  const model = await dictated()
  const talk = await talkTo(model.server, makeFolder())
  talk.type('go<enter>')
  await talk.until(model.isAsked)
  model.say('Thought: t\nAction: Finish[I start and then')
  await talk.until('I start and then')
  await talk.until('no text for 1 s')
  await talk.until('no text for 2 s')
  model.say(' go on]')
  model.end()
  await talk.until('I start and then go on')
  await talk.until(/tokens until compaction/)
  expect(talk.screen).not.toContain('no text for')
  await leave(talk)
})

const hasTmux = spawnSync('tmux', ['-V']).status === 0

test.skipIf(!hasTmux)('H1 in tmux: an answer of three hundred lines is whole in its scrollback', async () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index} 漢字`)
  const { folder, flags } = scripted([finish(lines.join('\n'))])
  const config = makeFolder()
  const socket = join(config, 'tmux')
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...nobody, MUTSUMI_CONFIG_DIR: config, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TMUX: '' },
    })
  const command = [process.execPath, mutsumi, ...flags].map((word) => `'${word}'`).join(' ')
  tmux('-u', 'new-session', '-d', '-x', '80', '-y', '15', '-c', folder, command)
  onTestFinished(() => void spawnSync('tmux', ['-S', socket, 'kill-server']))
  tmux('set-option', '-g', 'remain-on-exit', 'on')
  const text = () => tmux('capture-pane', '-p', '-J', '-S', '-').replace(/ +$/gm, '')
  const until = async (word: string) => {
    for (let tries = 0; !text().includes(word); tries++) {
      if (tries > 300) throw new Error(`waited in vain for ${word}:\n${text()}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  await until('/help')
  tmux('send-keys', '-l', 'go on')
  await until('› go on')
  tmux('send-keys', 'Enter')
  await until('line 299')
  await until('tokens until compaction')
  tmux('send-keys', '-l', 'not sent')
  await until('› not sent')
  tmux('send-keys', 'C-u')
  await until('› Ask something')
  tmux('send-keys', 'C-d')
  await until('To continue this session')
  expect(
    text()
      .split('\n')
      .filter((line) => /^line \d+/.test(line)),
  ).toEqual(lines)
})
