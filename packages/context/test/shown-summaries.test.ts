import { type AgentMessage, type Compaction, textOf } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ShownSummaries } from '../src/rounds/shown-summaries.js'
import { HistoryManager, shouldCompact } from './support/engine.js'
import { settingsWith } from './support/session.js'

/** A compaction with a summary of so many tokens. */
function compaction(number: number, tokens: number, letter = 'x'): Compaction {
  const summary = `summary ${number} ${letter.repeat(tokens * 3)}`.slice(0, tokens * 3)
  return { id: `c${number}`, cells: number, upTo: number, compression: 'normal', summary }
}

const many = (count: number, tokens: number) =>
  Array.from({ length: count }, (_, index) => compaction(index + 1, tokens))

const tokensOf = (messages: readonly AgentMessage[]) =>
  messages.reduce((sum, message) => sum + Math.floor(textOf(message).length / 3), 0)

describe('summaries that are shown', () => {
  test('K2 up to a quarter of the window each is shown as it is', () => {
    const made = many(4, 2000)
    const { messages, cut, leftOut } = new ShownSummaries({ contextWindow: 32_000 }).of(made)
    expect(messages).toEqual(made.map(({ summary }) => ({ role: 'system', content: summary })))
    expect({ cut, leftOut }).toEqual({ cut: 0, leftOut: 0 })
  })

  test('K2 past that the oldest are shown by their beginnings, and say so', () => {
    const { messages, cut, leftOut } = new ShownSummaries({ contextWindow: 32_000 }).of(many(6, 2000))
    expect({ cut, leftOut }).toEqual({ cut: 3, leftOut: 0 })
    expect(messages).toHaveLength(6)
    for (const message of messages.slice(0, 3))
      expect(textOf(message)).toMatch(
        /^summary [123] x{500,600} …\n\n\(The rest of this summary is not shown/,
      )
    for (const message of messages.slice(3)) expect(textOf(message)).toHaveLength(6000)
  })

  test('K2 still older ones are told in a line, and the newest is always whole', () => {
    const { messages, cut, leftOut } = new ShownSummaries({ contextWindow: 4000 }).of(many(9, 1500))
    expect({ cut, leftOut }).toEqual({ cut: 0, leftOut: 8 })
    expect(messages.map((message) => textOf(message).slice(0, 40))).toEqual([
      '(8 summaries of still older rounds are n',
      `summary 9 ${'x'.repeat(30)}`,
    ])
  })

  test('K2 however many there are, they take a quarter of the window, or what the newest takes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 60 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 2000, max: 200_000 }), (tokens, contextWindow) => {
        const made = tokens.map((size, index) => compaction(index + 1, size, '😀<content_reference>'))
        const { messages, cut, leftOut } = new ShownSummaries({ contextWindow }).of(made)
        const newest = Math.floor((textOf(messages.at(-1) ?? { role: 'system', content: '' }).length + 2) / 3)
        expect(tokensOf(messages)).toBeLessThanOrEqual(
          Math.max(contextWindow / 4, newest + contextWindow / 20) + 40,
        )
        expect(messages.length).toBe(made.length - leftOut + (leftOut > 0 ? 1 : 0))
        expect(cut + leftOut).toBeLessThanOrEqual(Math.max(0, made.length - 1))
        expect(messages.every((message) => !textOf(message).includes('<content_reference>'))).toBe(true)
      }),
    )
  })

  test('K6 a compaction that is taken back gives its room to the older summaries', () => {
    const history = new HistoryManager({}, { settings: settingsWith({ contextWindow: 9000 }) })
    for (let round = 1; round <= 8; round++) {
      history.appendUser(`question ${round}`)
      history.appendFinal('x'.repeat(3000))
    }
    const plan = (cells: number) =>
      ({ ...history.plan(), kind: 'plan', cells, compression: 'normal' }) as never
    const whole = `first ${'a'.repeat(3900)}`
    history.compact(plan(1), { id: 'c1', summary: whole })
    expect(textOf(history.view().toArray()[0] as AgentMessage)).toBe(whole)
    history.compact(plan(2), { id: 'c2', summary: 'b'.repeat(3900) })
    expect(textOf(history.view().toArray()[0] as AgentMessage)).not.toBe(whole)
    history.undo('c2')
    expect(textOf(history.view().toArray()[0] as AgentMessage)).toBe(whole)
  })

  test('K3 summaries of somebody else’s that fill the window have an advice of their own', () => {
    const cells = [{ content: 's'.repeat(40_000), metadata: { role: 'summary' } }]
    const history = new HistoryManager({ cells }, { settings: settingsWith({ contextWindow: 10_000 }) })
    history.appendUser('and now?')
    const plan = history.plan()
    expect(plan.kind === 'too-large' && plan.message).toMatch(
      /: earlier summaries take 13333.*These stay in this session: begin a new one, delete summaries/,
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
