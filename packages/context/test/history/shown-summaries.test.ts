import { type AgentMessage, type Compaction, textOf } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { recordsOf } from '../../src/history/records.js'
import { ShownSummaries } from '../../src/history/shown-summaries.js'
import {
  extractiveSummary,
  HistoryManager,
  roundsOf,
  SummaryCompressor,
  shouldCompact,
} from '../support/engine.js'
import { settingsWith } from '../support/session.js'

/** A summary in the template's form, its milestones so long that it takes about so many tokens. */
function summaryOf(number: number, tokens: number, insights = `* **Decisions**: decision ${number}`): string {
  const form = extractiveSummary(
    roundsOf([{ content: `goal ${number}`, metadata: { at: `2026-11-15T09:00:${10 + (number % 50)}Z` } }]),
  )
  const filled = form.replace(
    /(Persistent Memory\)\n)[\s\S]*?(?=\n\n### 📂)/u,
    (_, heading) => heading + insights,
  )
  return filled.replace(/^\* \[ \] .*$/mu, `* [✓] ${'m'.repeat(Math.max(1, tokens * 3 - filled.length))}`)
}

function compaction(number: number, summary: string): Compaction {
  return { id: `c${number}`, cells: number, upTo: number, compression: 'normal', summary }
}

const many = (count: number, tokens: number) =>
  Array.from({ length: count }, (_, index) => compaction(index + 1, summaryOf(index + 1, tokens)))

const tokensOf = (messages: readonly AgentMessage[]) =>
  messages.reduce((sum, message) => sum + Math.floor(textOf(message).length / 3), 0)

describe('summaries that are shown', () => {
  test('K2 up to a quarter of the window, each summary is shown in full', () => {
    const made = many(4, 1990)
    const { messages, short } = new ShownSummaries({ contextWindow: 32_000 }).of(made)
    expect(messages).toEqual(made.map(({ summary }) => ({ role: 'system', content: summary })))
    expect(short).toBe(0)
  })

  test('K2 above that, only goals and key insights of the oldest are shown, of no more summaries than needed', () => {
    const made = many(6, 2000)
    const { messages, short } = new ShownSummaries({ contextWindow: 32_000 }).of(made)
    expect(short).toBe(3)
    expect(messages.map(textOf)).toEqual([
      `## 📌 Older Archived Summaries
*(The goals and key insights of 3 summaries, oldest first. Newer summaries take the room of the rest, which stays in the session.)*

*(Contains context from 2026-11-15T09:00:11Z to 2026-11-15T09:00:11Z)*
* **Original Goal**: goal 1
* **Decisions**: decision 1

*(Contains context from 2026-11-15T09:00:12Z to 2026-11-15T09:00:12Z)*
* **Original Goal**: goal 2
* **Decisions**: decision 2

*(Contains context from 2026-11-15T09:00:13Z to 2026-11-15T09:00:13Z)*
* **Original Goal**: goal 3
* **Decisions**: decision 3`,
      ...made.slice(3).map(({ summary }) => summary),
    ])
    expect(tokensOf(messages)).toBeLessThanOrEqual(8000)
  })

  test('K2 the goals and insights of a hundred summaries are all there, and the newest is whole', () => {
    const made = many(100, 2000)
    const { messages, short } = new ShownSummaries({ contextWindow: 4000 }).of(made)
    expect(short).toBe(99)
    const [older = '', newest] = messages.map(textOf)
    for (let number = 1; number < 100; number++)
      expect(`${older}\n`).toContain(
        `* **Original Goal**: goal ${number}\n* **Decisions**: decision ${number}\n`,
      )
    expect(newest).toBe(made.at(-1)?.summary)
    expect(messages).toHaveLength(2)
  })

  test('K2 a summary that is not in the template’s form stays whole', () => {
    const plain = `We fixed the login. ${'It was hard. '.repeat(300)}`
    const made = [compaction(1, plain), ...many(6, 2000)]
    const { messages, short } = new ShownSummaries({ contextWindow: 32_000 }).of(made)
    expect(short).toBeGreaterThan(1)
    expect(textOf(messages[0] as AgentMessage)).toContain(plain.trim())
  })

  test('K2 whatever goals and insights a model writes, no line of them is lost, and the newest summary stays whole', () => {
    const words = fc.stringMatching(/^[a-z`“”()文😀-]{1,30}$/u)
    const bullets = fc.array(
      fc
        .record({ indent: fc.constantFrom('', '  '), text: words })
        .map(({ indent, text }) => `${indent}* ${text}`),
      { minLength: 1, maxLength: 5 },
    )
    const parts = fc.array(
      fc.record({ goals: bullets, insights: bullets, tokens: fc.integer({ min: 1, max: 3000 }) }),
      {
        minLength: 1,
        maxLength: 20,
      },
    )
    fc.assert(
      fc.property(parts, fc.integer({ min: 2000, max: 200_000 }), (summaries, contextWindow) => {
        const made = summaries.map(({ goals, insights, tokens }, index) => {
          const text = summaryOf(index, tokens, insights.join('\n'))
          const answer = text.replace(/^\* \*\*Original Goal\*\*.*$/mu, () => goals.join('\n'))
          return compaction(index, new SummaryCompressor().complete(answer, recordsOf([])))
        })
        const { messages, short } = new ShownSummaries({ contextWindow }).of(made)
        const sent = messages.flatMap((message) =>
          textOf(message)
            .split('\n')
            .map((line) => line.trim()),
        )
        for (const { goals, insights } of summaries)
          for (const line of [...goals, ...insights]) expect(sent).toContain(line.trim())
        expect(textOf(messages.at(-1) as AgentMessage)).toBe(made.at(-1)?.summary)
        expect(messages).toHaveLength(made.length - Math.max(0, short - 1))
        const isAsShortAsCanBe = short === made.length - 1
        if (!isAsShortAsCanBe) expect(tokensOf(messages)).toBeLessThanOrEqual(contextWindow / 4 + made.length)
      }),
      { numRuns: runs(100) },
    )
  })

  test('K6 undoing a compaction makes room for the older summaries', () => {
    const history = new HistoryManager({}, { settings: settingsWith({ contextWindow: 9000 }) })
    for (let round = 1; round <= 8; round++) {
      history.appendUser(`question ${round}`)
      history.appendFinal('x'.repeat(3000))
    }
    const plan = (cells: number) =>
      ({ ...history.plan(), kind: 'plan', cells, compression: 'normal' }) as never
    const first = () => textOf(history.view().toArray()[0] as AgentMessage)
    const whole = summaryOf(1, 1300)
    history.compact(plan(1), { id: 'c1', summary: whole })
    expect(first()).toBe(whole)
    history.compact(plan(2), { id: 'c2', summary: summaryOf(2, 1300) })
    expect(first()).toMatch(/^## 📌 Older Archived Summaries\n[\s\S]*goal 1/)
    history.undo('c2')
    expect(first()).toBe(whole)
  })

  test('K3 summaries by another program that fill the window get their own advice', () => {
    const cells = [{ content: 's'.repeat(40_000), metadata: { role: 'summary' } }]
    const history = new HistoryManager({ cells }, { settings: settingsWith({ contextWindow: 10_000 }) })
    history.appendUser('and now?')
    const plan = history.plan()
    expect(plan.kind === 'too-large' && plan.message).toMatch(
      /: earlier summaries take 13333.*Summaries stay in their session: begin a new session, delete summaries/,
    )
  })
})

describe('when history is compacted', () => {
  const settings = settingsWith({ contextWindow: 1000 })
  const next = (estimate: number, messages: number) =>
    shouldCompact({ lastUsage: undefined, newTokens: 0, estimate, messages }, settings)

  test('K1 few messages are left alone as long as they fit the window', () => {
    expect([next(800, 3), next(800, 2), next(999, 2), next(1000, 2)]).toEqual([true, false, false, true])
  })
})
