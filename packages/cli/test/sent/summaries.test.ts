import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { RoundProgress } from '../../src/run/round-progress.js'
import { makeFolder, run, runJson } from '../support/command.js'
import { flagsOf, modelServer } from '../support/model-server.js'
import { problemsOfEvents } from '../support/print-schemas.js'
import { finish } from '../support/scripted.js'
import { sentMessages } from '../support/sent-messages.js'
import { addSession, writer } from '../support/stored-session.js'

/** A summary that says which one it is. */
const summaryOf = (number: number, milestones = 'done') => `## 📌 Archived Session Summary
*(Contains context from 2026-11-15T09:0${number}:00.000Z to 2026-11-15T09:0${number}:30.000Z)*

### 🎯 Objectives & Status
* **Original Goal**: goal ${number}

### 🏗️ Technical Context (Static)
* **Stack**: stack ${number}

### ✅ Completed Milestones (The "Done" Pile)
* [✓] ${milestones}

### 🧠 Key Insights & Decisions (Persistent Memory)
* **Decisions**: decision ${number}
* **Learnings**: (not recorded)
* **User Preferences**: preference ${number}

### 📂 File System State (Snapshot)
* (none)`

function answer(response: ServerResponse, content: string, usage: object): void {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'x', choices, usage }))
}

const isForSummary = (body: string) => body.includes('The history to archive')

test('K1 the last reply counts as the server reported it, including cached tokens, also in a new process', async () => {
  const counts = [{}, { prompt_tokens: 160_000, completion_tokens: 1000 }, {}]
  const details = { prompt_tokens_details: { cached_tokens: 159_000 } }
  const server = await modelServer((response, { body }) =>
    isForSummary(body)
      ? answer(response, summaryOf(1), {})
      : answer(response, finish('word '.repeat(600)), { ...counts.shift(), ...details }),
  )
  const folder = makeFolder()
  const ask = (prompt: string, ...flags: string[]) =>
    run(folder, ['-p', prompt, '--session', 's.mtm', '-c', 'retainRounds=1', ...flags, ...flagsOf(server)])
  expect((await ask('one')).stderr).not.toContain('compacting')
  expect((await ask('two')).stderr).not.toContain('compacting')
  const { stderr } = await ask('x'.repeat(612))
  expect(stderr).toContain(
    '… 161 204 of 200 000 tokens (161 000 reported + 204 estimated) ≥ 160 000: compacting\n',
  )
  expect(stderr).toMatch(/^· compacted: 161 204 → about \d{2,3} \d{3} tokens$/m)
  const summaries = server.requests.map(({ body }) => isForSummary(body))
  expect(summaries).toEqual([false, false, true, false])
})

test('K1 programs read the same numbers', async () => {
  const server = await modelServer((response, { body }) =>
    isForSummary(body)
      ? answer(response, summaryOf(1), {})
      : answer(response, finish('word '.repeat(600)), { prompt_tokens: 170_000, completion_tokens: 5 }),
  )
  const folder = makeFolder()
  const flags = ['--session', 's.mtm', '-c', 'retainRounds=1', '--stream-json', ...flagsOf(server)]
  for (const prompt of ['one', 'two']) await run(folder, ['-p', prompt, ...flags])
  const { stdout } = await run(folder, ['-p', 'three', ...flags])
  expect(problemsOfEvents(stdout)).toEqual([])
  const started = stdout.split('\n').find((line) => line.includes('"compaction-start"'))
  expect(JSON.parse(started ?? '{}')).toMatchObject({
    before: 170_006,
    reason: { kind: 'threshold', reported: 170_005, estimated: 1, threshold: 160_000, window: 200_000 },
  })
})

test('K2 above a quarter of the window, the goals and insights of all older summaries are sent', async () => {
  const server = await modelServer((response) => answer(response, finish('fine'), {}))
  const folder = makeFolder()
  const path = await addSession(folder, { rounds: 9 })
  const file = await writer(path)
  const summaries = [1, 2, 3, 4, 5, 6].map((number) => summaryOf(number, `${number} ${'m'.repeat(6000)}`))
  for (const [index, summary] of summaries.entries()) {
    const compaction = { id: `c${index}`, cells: index + 1, upTo: 9, compression: 'normal' as const, summary }
    await file.add({ type: 'compaction', compaction })
  }
  await file.close()
  await run(folder, ['-p', 'next', '--session', path, '-c', 'contextWindow=40000', ...flagsOf(server)])
  // Chat completions take one system message.
  const { content = '' } = sentMessages(server)[0] ?? {}
  const older = `## 📌 Older Archived Summaries
*(The goals and key insights of 2 summaries, oldest first. Newer summaries take the room of the rest, which stays in the session.)*

*(Contains context from 2026-11-15T09:01:00.000Z to 2026-11-15T09:01:30.000Z)*
* **Original Goal**: goal 1
* **Decisions**: decision 1
* **User Preferences**: preference 1

*(Contains context from 2026-11-15T09:02:00.000Z to 2026-11-15T09:02:30.000Z)*
* **Original Goal**: goal 2
* **Decisions**: decision 2
* **User Preferences**: preference 2`
  expect(content.slice(content.indexOf('## 📌'))).toBe([older, ...summaries.slice(2)].join('\n\n'))
  const whole = ['-c', 'contextWindow=40000', '-c', 'summaries.shrink=false']
  await run(folder, ['-p', 'next', '--session', path, ...whole, ...flagsOf(server)])
  expect(sentMessages(server)[0]?.content).toContain(summaries.join('\n\n'))
  // DeepSeek takes several system messages, so each summary is one of its own.
  const deepseek = ['-m', 'deepseek/mm', '--base-url', server.url]
  await run(folder, ['-p', 'next', '--session', path, ...whole, ...deepseek], {
    env: { MUTSUMI_API_KEY: 'key' },
  })
  const system = sentMessages(server).filter(({ role }) => role === 'system')
  expect(system.slice(1).map(({ content }) => content)).toEqual(summaries)
  const preview = await runJson(folder, ['context', 'more', '--session', path, '-c', 'contextWindow=40000'])
  expect(preview.history.shortSummaries).toBe(2)
  const { stdout } = await run(folder, ['context', 'more', '--session', path, '-c', 'contextWindow=40000'])
  expect(stdout).toContain('  the 2 oldest summaries reduced to goals and key insights\n')
})

test('K5 on a terminal the live line says that the history is being compacted, and which model writes the summary', () => {
  const progress = new RoundProgress()
  const started = { type: 'compaction-start', before: 1, reason: { kind: 'asked' }, ladder: [] } as const
  progress.hear({ ...started, model: 'openai/gpt-5' })
  expect(progress.waiting?.what).toBe('compacting the history: openai/gpt-5 writes a summary')
  progress.hear(started)
  expect(progress.waiting?.what).toBe('compacting the history')
  progress.hear({ type: 'compaction-end', before: 1, after: 1, loss: [] })
  expect(progress.waiting).toBeUndefined()
})
