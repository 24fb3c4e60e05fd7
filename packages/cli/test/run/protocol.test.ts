import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import {
  chat,
  type Dialect,
  dialectOf,
  dialects,
  type SpokenReply,
} from '../../../model/test/support/dialects.js'
import { type WireServer, wireServer } from '../../../model/test/support/wire-server.js'
import { makeFolder, mutsumi, nobody, run } from '../support/command.js'
import { problemsOfEvents } from '../support/print-schemas.js'

const env = { MUTSUMI_API_KEY: 'key-of-nobody-0' }
const openai = dialectOf('openai')

function flagsOf({ provider, basePath }: Dialect, server: WireServer): string[] {
  return ['--model', `${provider}/m`, '--base-url', server.url + basePath]
}

/** A model that says something, reads a file, and then answers. */
const comment: SpokenReply = {
  texts: ['I look ', 'at it.'],
  calls: [{ id: 'c', name: 'Read', pieces: ['{"path":"a.ts"}'] }],
}

describe('the first request', () => {
  const said = ({ content }: { content: unknown }) =>
    typeof content === 'string' ? content : JSON.stringify(content)

  test('A1 takes at most 1 000 tokens as text: protocol, all built-in tools and Task', async () => {
    const server = await wireServer(chat.reply({ texts: ['Action: Finish[fine]'] }))
    await run(makeFolder(), ['-p', 'hi', ...flagsOf(chat, server)], { env })
    const body = server.requests[0]?.body ?? ''
    for (const part of ['Action: ToolName[', '\nLS: ', '\nSkill: ', '\nTask: '])
      expect(JSON.parse(body).messages[0].content).toContain(part)
    const texts: string[] = JSON.parse(body).messages.map(said)
    expect(texts.reduce((sum, text) => sum + countTokens(text), 0)).toBeLessThanOrEqual(1000)
  })

  test.for(dialects.map((dialect) => [dialect.provider, dialect] as const))(
    'A2 %s: takes at most 1 600 tokens with native calls, counting everything that is sent',
    async ([, dialect]) => {
      const server = await wireServer(dialect.reply({ texts: ['fine'] }))
      const flags = ['-c', 'protocol=native', ...flagsOf(dialect, server)]
      const { stdout } = await run(makeFolder(), ['-p', 'hi', ...flags], { env })
      expect(stdout).toBe('fine\n')
      const body = server.requests[0]?.body ?? ''
      for (const name of ['LS', 'Glob', 'Grep', 'Read', 'Edit', 'MultiEdit', 'Write', 'Bash', 'TodoWrite'])
        expect(body).toContain(`"name":"${name}"`)
      for (const name of ['Recall', 'Skill', 'Task']) expect(body).toContain(`"name":"${name}"`)
      expect(body).not.toMatch(/"(?:title|\$schema|minLength)":|"additionalProperties":false/)
      expect(countTokens(body)).toBeLessThanOrEqual(1600)
    },
  )

  test('A2 the request tells OpenAI that optional arguments are optional', async () => {
    const server = await wireServer(openai.reply({ texts: ['fine'] }))
    await run(makeFolder(), ['-p', 'hi', ...flagsOf(openai, server)], { env })
    const { tools } = JSON.parse(server.requests[0]?.body ?? '')
    // Its Responses API would make all of them required.
    expect(tools.every(({ strict }: { strict?: boolean }) => strict === false)).toBe(true)
  })
})

describe('a native run for programs', () => {
  const replies = [openai.reply(comment), openai.reply({ texts: ['It is ', '1.'] })]
  const files = { 'a.ts': 'export const a = 1\n' }

  test('A2 H1 init names the protocol in use', async () => {
    const server = await wireServer(openai.reply({ texts: ['fine'] }))
    const protocolOf = async (...flags: readonly string[]) => {
      const all = [...flagsOf(openai, server), ...flags]
      const { stdout } = await run(makeFolder(), ['-p', 'hi', '--stream-json', ...all], { env })
      return JSON.parse(stdout.split('\n')[0] ?? '')
    }
    expect(await protocolOf()).toMatchObject({ type: 'init', protocol: 'native' })
    expect(await protocolOf('-c', 'protocol=react')).toMatchObject({ type: 'init', protocol: 'react' })
    expect(await protocolOf('-c', 'protocol=auto')).toMatchObject({ type: 'init', protocol: 'native' })
  })

  test('A2 H1 --stream-json takes back the text before a call, and marks it as a thought', async () => {
    const server = await wireServer(...replies)
    const args = ['-p', 'x', '--stream-json', ...flagsOf(openai, server)]
    const { stdout } = await run(makeFolder(files), args, { env })
    expect(problemsOfEvents(stdout)).toEqual([])
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.filter(({ type }) => type.startsWith('answer'))).toEqual([
      { type: 'answer', text: 'I look' },
      { type: 'answer', text: ' at it.' },
      { type: 'answer-reset', reason: 'the model said this before it called tools', as: 'thought' },
      { type: 'answer', text: 'It is' },
      { type: 'answer', text: ' 1.' },
    ])
    expect(events.at(-1)).toMatchObject({ type: 'round-end', status: 'done', answer: 'It is 1.' })
  })

  test('A2 H1 a pipe gets only the answer', async () => {
    const server = await wireServer(...replies)
    const args = ['-p', 'x', '-v', ...flagsOf(openai, server)]
    const { stdout, stderr } = await run(makeFolder(files), args, { env })
    expect(stdout).toBe('It is 1.\n')
    expect(stderr).not.toContain('taken back')
  })

  test.skipIf(!existsSync('/usr/bin/script'))(
    'A2 H1 a terminal keeps the text before a call, above the call’s result',
    async () => {
      const server = await wireServer(...replies)
      const words = [process.execPath, mutsumi, '-p', 'x', ...flagsOf(openai, server)]
      const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
        cwd: makeFolder(files),
        env: { ...nobody, ...env, TERM: 'xterm' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let shown = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        shown += text
      })
      await once(child, 'close')
      expect(shown.replaceAll('\r', '')).toMatch(
        /^I look at it\.\n· Read a\.ts → lines 1 to 1 of 1\nIt is 1\.\n(?:2 requests · .* tokens.*\n)?$/,
      )
    },
  )

  test('A2 N2 an answer that looks like text of the other protocol is shown and exported whole', async () => {
    const answer = 'We found:\nFinal answer: 42\nAction: Finish[no]'
    const server = await wireServer(openai.reply({ texts: [answer] }))
    const folder = makeFolder()
    await run(folder, ['-p', 'x', '--session', 's.mtm', ...flagsOf(openai, server)], { env })
    const exported = await run(folder, ['export', 's.mtm'])
    expect(exported.stdout).toContain(answer.replace(/^/gm, '> '))
    const resumed = await run(folder, ['resume', 's.mtm'])
    expect(resumed.stdout).toContain('We found:')
  })
})

describe('native and text replies in later requests', () => {
  /** Messages of the last request, without the system's. */
  const lastSent = ({ requests }: WireServer) =>
    JSON.parse(requests.at(-1)?.body ?? '{}')
      .messages.slice(1)
      .map(({ role, content }: { role: string; content: string }) => `${role}: ${content}`)
  const write = 'Action: Write[{"path":"b","content":"x"}]'
  const written = [{ id: 'c', name: 'Write', pieces: ['{"path":"b","content":"x"}'] }]
  const note = '[Nothing of this reply was carried out.]'

  /** Asks twice in one session, and answers with what the second request showed of the first round. */
  async function secondRequest(first: readonly SpokenReply[], protocols: readonly [string, string]) {
    const folder = makeFolder()
    const server = await wireServer(...[...first, { texts: ['Fine.'] }].map((reply) => chat.reply(reply)))
    for (const [index, protocol] of protocols.entries())
      await run(
        folder,
        [
          ...['-p', `ask ${index}`, '--session', 's.mtm', '--allow', 'Write'],
          ...['-c', `protocol=${protocol}`, ...flagsOf(chat, server)],
        ],
        { env },
      )
    expect(existsSync(join(folder, 'b'))).toBe(false)
    return lastSent(server)
  }

  test('A2 A1 a native answer that quotes an action is still an answer in the text protocol', async () => {
    const quoted = `Write this:\n${write}\n[tool] {}`
    expect(await secondRequest([{ texts: [quoted] }], ['native', 'react'])).toEqual([
      'user: ask 0',
      `assistant: Action: Finish[${quoted}]`,
      'user: ask 1',
    ])
    expect(await secondRequest([{ texts: [quoted] }], ['native', 'native'])).toContain(`assistant: ${quoted}`)
  })

  test.for([
    ['react', 'cut', { texts: [`Thought: now\n${write}`], finish: 'length' }, `Thought: now\n${write}`],
    ['react', 'malformed', { texts: ['Action: Write[{"path":"b",]'] }, 'Action: Write[{"path":"b",]'],
    ['native', 'cut', { texts: ['Now.'], calls: written, finish: 'length' }, 'Now.'],
  ] as const)(
    'A1 A2 for a %s reply that was %s, the next round says that it was not run',
    async ([protocol, , reply, text]) => {
      for (const next of ['react', 'native']) {
        const [, said] = await secondRequest([reply, { texts: ['Done.'] }], [protocol, next])
        expect(said).toBe(`assistant: ${text}\n\n${note}\n\nDone.`)
      }
    },
  )
})
