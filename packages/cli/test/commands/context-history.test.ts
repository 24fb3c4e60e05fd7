import { expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { longSession } from '../support/long-session.js'

const inSession = (prompt: string) => ['context', prompt, '--session', 'chat.json']

test('C4 context shows what the stubs of stale reads save', async () => {
  const folder = makeFolder({ 'chat.json': JSON.stringify(longSession(5)) })
  const { history } = await runJson(folder, inSession('next'))
  expect(history.rounds).toEqual({ shown: 5, leftOut: 0 })
  expect(history.shortened.results).toBe(4)
  expect(history.shortened.saved).toBeGreaterThan(4 * 300)
  const { stdout } = await run(folder, inSession('next'))
  expect(stdout).toMatch(/^ {2}4 older results shortened: newer ones replace them, \d \d{3} tokens saved$/m)
})

test('K6 context shows the active compactions, since when, and how much they left out', async () => {
  const made = { upTo: 5, compression: 'normal', at: '2026-11-16T08:30:00.000Z' } as const
  const session = longSession(5, [
    { id: 'one', cells: 1, ...made, summary: 'They began.' },
    { id: 'two', cells: 3, ...made },
  ])
  const folder = makeFolder({ 'chat.json': JSON.stringify(session) })
  const { history } = await runJson(folder, inSession('next'))
  expect(history.rounds).toEqual({ shown: 2, leftOut: 3 })
  expect(history.compactions).toEqual([
    { id: 'one', at: made.at, compression: 'normal', rounds: 1, summaryTokens: 3 },
    { id: 'two', at: made.at, compression: 'normal', rounds: 2, summaryTokens: 0 },
  ])
  expect(history.shortened.results).toBe(1)
  const { stdout } = await run(folder, inSession('next'))
  expect(stdout).toContain('  2 rounds shown, 3 left out\n')
  expect(stdout).toContain(
    '  compaction one since 2026-11-16 08:30 UTC: 1 round left out, a summary of 3 tokens\n',
  )
  expect(stdout).toContain('  compaction two since 2026-11-16 08:30 UTC: 2 rounds left out, no summary\n')
})

test('K1 context says when the next compaction is due', async () => {
  const folder = makeFolder({ 'chat.json': JSON.stringify(longSession(5)) })
  const { tokens, history } = await runJson(folder, inSession('next'))
  expect(history.nextCompaction.tokens).toBe(160_000 - tokens.total)
  expect(history.nextCompaction.rounds).toBe(
    Math.floor(history.nextCompaction.tokens / history.tokensPerRound),
  )
  const { stdout } = await run(folder, [...inSession('next'), '-c', 'contextWindow=2000'])
  expect(stdout).toMatch(/^ {2}a run would compact it first, from about \d \d{3} tokens to \d \d{3}:$/m)
  expect(stdout).toMatch(/^ {4}4 rounds leave the view: /m)
  expect(stdout).not.toContain(' since ')
  expect(stdout).toMatch(/^ {2}compaction in \d+ tokens/m)
})

test('H1 without a history, context does not mention it', async () => {
  const folder = makeFolder()
  expect(await runJson(folder, ['context', 'hello'])).not.toHaveProperty('history')
  expect((await run(folder, ['context', 'hello'])).stdout).not.toContain('history\n  ')
})

test('F1 context shows the reminder to read the files that a prompt mentions, counted as the user’s', async () => {
  const folder = makeFolder({ 'src/a.ts': 'A', 'src/b.ts': 'B', 'lib/x.ts': 'X' })
  const prompt = 'compare @src/a.ts with @src/b.ts, not @alice'
  const { messages, items, tokens } = await runJson(folder, ['context', prompt])
  const reminder =
    '\n\n<system-reminder>\nThe user mentioned @src/a.ts, @src/b.ts.\nYou MUST read these files with the Read tool before answering, in this order.\n</system-reminder>'
  expect(messages.at(-1)).toEqual({ role: 'user', content: prompt + reminder })
  expect(items).toEqual([])
  expect(tokens.byLayer.user).toBe(Math.floor((prompt + reminder).length / 3))
})

test('F2 a mention is judged by the workspace’s own checks: nothing outside counts', async () => {
  const folder = makeFolder({ 'ws/a.ts': 'A', 'secret.txt': 'S' })
  const { messages } = await runJson(`${folder}/ws`, ['context', 'see @../secret.txt and @/etc/passwd'])
  expect(messages.at(-1).content).toBe('see @../secret.txt and @/etc/passwd')
})

test('F1 the ghost block comes after the reminder', async () => {
  const folder = makeFolder({ 'a.ts': 'A', 'b.ts': 'B' })
  const { messages } = await runJson(folder, ['context', 'see @a.ts and @[b.ts]'])
  expect(messages.at(-1).content).toMatch(
    /^see @a\.ts and @\[b\.ts\]\n\n<system-reminder>\n[^<]*<\/system-reminder>\n\n<content_reference>\n\{/,
  )
})
