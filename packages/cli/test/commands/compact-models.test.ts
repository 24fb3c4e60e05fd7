import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Session } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'
import { longSession } from '../support/long-session.js'
import { answerWith, flagsOf, modelServer, refuseWith } from '../support/model-server.js'
import { begin, until } from '../support/running.js'
import { sentMessages } from '../support/sent-messages.js'
import { addSession } from '../support/stored-session.js'

const summary = `## 📌 Archived Session Summary
*(from records)*

### 🎯 Objectives & Status
* **Original Goal**: answer four questions

### 🏗️ Technical Context (Static)
* **Stack**: TypeScript

### ✅ Completed Milestones (The "Done" Pile)
* [✓] four questions - answered

### 🧠 Key Insights & Decisions (Persistent Memory)
* **Learnings**: the tests are quick

### 📂 File System State (Snapshot)
* \`src/a.ts\`: the model knows why
* \`package.json\`: npm changed it`

const compact = ['compact', '--session', 'chat.json'] as const

function sessionFolder(files: Readonly<Record<string, string>> = {}): string {
  return makeFolder({ 'chat.json': `${JSON.stringify(longSession(14), null, 2)}\n`, ...files })
}

function stored(folder: string): Session {
  return JSON.parse(readFileSync(join(folder, 'chat.json'), 'utf8'))
}

const answering = (text: string) => modelServer((response) => answerWith(response, text))

/** The request that the next round would send. */
async function nextMessages(folder: string): Promise<readonly { role: string; content: string }[]> {
  return (await runJson(folder, ['context', 'go on', '--session', 'chat.json'])).messages
}

describe('compact asks the model that is configured', () => {
  test('K4 it gets the history between boundary lines, and its summary is in the next request', async () => {
    const server = await answering(summary)
    const folder = sessionFolder()
    const { code, stdout, stderr } = await run(folder, [...compact, ...flagsOf(server)])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^… compacting about \d \d{3} tokens, as you asked\n {2}openai-compatible\/mm writes the summary\n$/,
      ),
    })
    expect(stdout).toMatch(/^4 rounds leave the view, the newest 10 stay$/m)
    expect(server.requests).toHaveLength(1)
    const [system, user] = sentMessages(server)
    expect(system?.content).toContain('## 📌 Archived Session Summary')
    expect(user?.content).toMatch(
      /^The history to archive: rounds 1 to 4\..*\n\n=====\w+ round 1\n=====\w+ user\nQuestion 1\n/,
    )
    const [, shown] = await nextMessages(folder)
    expect(shown).toEqual({
      role: 'system',
      content: stored(folder).compactions?.map((act) => 'summary' in act && act.summary)[0],
    })
    expect(shown?.content).toContain('* **Original Goal**: answer four questions\n')
    expect(shown?.content).toContain(
      '*(Contains context from 2026-11-15T09:01:00.000Z to 2026-11-15T09:04:00.000Z)*',
    )
    expect(shown?.content).toContain(
      "* `src/a.ts`: edited 4 times. The model's words: “the model knows why”\n" +
        "* `package.json`: no recorded change. The model's words: “npm changed it”\n" +
        '* Only read: `src/auth.ts`\n',
    )
    expect(shown?.content).toContain('### 💻 Commands\n* `npm test`: 4 times, last exit code 0')
  })

  test('K4 by flag, environment or config, and summary.model before these', async () => {
    const server = await answering(summary)
    const env = { MUTSUMI_MODEL: 'openai-compatible/mm', MUTSUMI_BASE_URL: server.url }
    const models = () => server.requests.map(({ body }) => JSON.parse(body).model)
    await run(sessionFolder(), compact, { env })
    await run(sessionFolder(), [...compact, '-c', 'summary.model=openai-compatible/small'], { env })
    await run(sessionFolder(), compact, { env: { ...env, MUTSUMI_SUMMARY_MODEL: 'openai-compatible/tiny' } })
    expect(models()).toEqual(['mm', 'small', 'tiny'])
  })

  test('K6 --preview asks no model, needs no key and changes nothing', async () => {
    const server = await answering(summary)
    const folder = sessionFolder()
    const before = readFileSync(join(folder, 'chat.json'))
    const { stdout, code } = await run(folder, [...compact, '--preview', ...flagsOf(server)])
    expect({ code, requests: server.requests }).toEqual({ code: 0, requests: [] })
    expect(stdout).toContain('Nothing was changed: this is a preview.')
    const anthropic = [...compact, '--model', 'anthropic/claude-sonnet-4-5']
    expect((await run(folder, [...anthropic, '--preview'])).code).toBe(0)
    const { code: refused, stderr } = await run(folder, anthropic)
    expect({ refused, stderr }).toEqual({ refused: 2, stderr: expect.stringContaining('needs a key') })
    expect(readFileSync(join(folder, 'chat.json'))).toEqual(before)
  })

  test('K5 if a server does not answer within summary.timeoutMs, the newest rounds stay without a summary', async () => {
    const server = await modelServer(() => undefined)
    const folder = sessionFolder()
    const { compaction, warnings } = await runJson(folder, [
      ...[...compact, ...flagsOf(server), '-c', 'summary.timeoutMs=300'],
    ])
    expect(compaction).not.toHaveProperty('summary')
    expect(warnings).toEqual([
      {
        code: 'summary',
        message: 'Summary generation timed out, keeping recent history only.',
        source: 'summary',
      },
    ])
    expect((await nextMessages(folder))[1]).toEqual({ role: 'user', content: 'Question 5' })
  })

  test.for([
    [
      'none',
      /Summary generation failed \(.*no such thing.*\), keeping recent history only\./,
      /^Question 5$/,
    ],
    [
      'extractive',
      /no such thing.*; the summary was made from the records alone\./,
      /^## 📌 Archived Session/,
    ],
  ] as const)(
    'K5 if the server fails, a message gives the reason, and summary.fallback=%s decides',
    async ([fallback, why, next]) => {
      const server = await modelServer((response) => refuseWith(response, 400, 'no such thing'))
      const folder = sessionFolder()
      const { code, stderr } = await run(folder, [
        ...compact,
        ...flagsOf(server),
        '-c',
        `summary.fallback=${fallback}`,
      ])
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(why) })
      expect((await nextMessages(folder))[1]?.content).toMatch(next)
    },
  )

  test.for([
    ['an empty summary', '', /\(.*empty.*\), keeping recent history only\./],
    [
      'a larger one',
      summary.replace('answered', 'x'.repeat(60_000)),
      /but the rounds that it would replace take only \d+\)/,
    ],
    [
      'no summary at all',
      'I cannot do that.',
      /The summary was refused \(these parts are missing: "Archived Session Summary"/,
    ],
  ] as const)('K4 %s is refused, and the rounds leave without a summary', async ([, text, why]) => {
    const folder = sessionFolder()
    const { stderr } = await run(folder, [...compact, ...flagsOf(await answering(text))])
    expect(stderr).toMatch(why)
    expect(stored(folder).compactions).toHaveLength(1)
    expect((await nextMessages(folder))[1]).toEqual({ role: 'user', content: 'Question 5' })
  })
})

describe('a .mtm session', () => {
  const long = 'A long question. '.repeat(200)

  async function storedSession(): Promise<{ folder: string; path: string }> {
    const folder = makeFolder()
    const path = await addSession(folder, { rounds: 14 })
    return { folder, path }
  }

  const recordsIn = (path: string, type: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`{"type":"${type}"`))

  test('N4 keeps the request for the summary and its cost, and replays it', async () => {
    const server = await modelServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          id: 'x',
          choices: [{ index: 0, message: { role: 'assistant', content: summary }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 4321, completion_tokens: 99 },
        }),
      )
    })
    const folder = makeFolder()
    for (let round = 1; round <= 3; round++)
      await run(folder, ['-p', `${round} ${long}`, '--session', 's.mtm', '--model', 'offline'])
    const { code, stderr } = await run(folder, [
      ...['compact', '--session', 's.mtm', '-c', 'retainRounds=1'],
      ...flagsOf(server),
    ])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const replayed = await runJson(folder, ['replay', 's.mtm', '--round', '3', '--request', 'summary'])
    expect(replayed.messages.map(({ content }: { content: string }) => content)).toEqual(
      sentMessages(server).map(({ content }) => content),
    )
  })

  test.for(['SIGINT', 'SIGTERM'] as const)(
    'K5 %s stops it: no compaction, exit code 130, and the session is free',
    async (signal) => {
      const server = await modelServer(() => undefined)
      const { folder, path } = await storedSession()
      const { child, printed, ended } = begin(folder, [
        'compact',
        '--session',
        path,
        ...flagsOf(server),
        '-c',
        'retainRounds=1',
      ])
      await until(() => server.requests.length > 0, child)
      child.kill(signal)
      expect(await ended).toEqual({ code: 130, signal: null })
      expect(printed.stdout).toBe('')
      expect(printed.stderr).toMatch(/^mutsumi: cancelled: the history is unchanged$/m)
      expect(recordsIn(path, 'compaction')).toEqual([])
      expect((await run(folder, ['compact', '--session', path, '-c', 'retainRounds=1'])).code).toBe(0)
    },
  )
})

test('K5 Ctrl-C leaves a plain JSON session byte for byte as it was, with summary.fallback=extractive too', async () => {
  const server = await modelServer(() => undefined)
  const folder = sessionFolder()
  const before = readFileSync(join(folder, 'chat.json'))
  const { child, ended } = begin(folder, [
    ...compact,
    ...flagsOf(server),
    '-c',
    'summary.fallback=extractive',
    '--json',
  ])
  await until(() => server.requests.length > 0, child)
  child.kill('SIGINT')
  expect(await ended).toEqual({ code: 130, signal: null })
  expect(readFileSync(join(folder, 'chat.json'))).toEqual(before)
})

test('K6 a session that cannot be written is refused before a model is asked', async () => {
  const server = await answering(summary)
  const folder = sessionFolder()
  chmodSync(join(folder, 'chat.json'), 0o444)
  const { code, stderr } = await run(folder, [...compact, ...flagsOf(server)])
  expect({ code, requests: server.requests.length }).toEqual({ code: 1, requests: 0 })
  expect(stderr).toContain('is read-only')
})
