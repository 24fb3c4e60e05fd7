import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RoundOutput, RoundPart, ToolPart } from '../../src/notebook/round-output.js'
import { RoundPage } from '../../src/renderer/round-page.js'
import type { CardTools } from '../../src/renderer/tool-card.js'
import { wordsFor } from '../../src/renderer/words.js'
import { type FakeElement, fakePage } from '../support/page.js'

let root: FakeElement
let page: RoundPage
const tools: CardTools = { words: wordsFor('en'), cell: 'c1', post: () => undefined, openFile: undefined }

beforeEach(() => {
  root = fakePage()
  page = new RoundPage(root as never)
})
afterEach(() => vi.unstubAllGlobals())

function show(parts: readonly RoundPart[], more: Partial<RoundOutput> = {}): void {
  page.update({ version: 1, cell: 'c1', state: 'running', parts, ...more }, tools)
}

const parts = () => root.querySelector('.parts')?.children ?? []
const text = (written: string): RoundPart => ({ kind: 'text', text: written })
const call: ToolPart = { kind: 'tool', call: 't1', name: 'Bash', argument: 'ls', status: 'running' }

test('H2 5c parts that did not change stay the same elements while the round grows', () => {
  show([text('One'), call])
  const [one, card] = parts()
  show([text('One'), call, text('Two')])
  expect(parts().slice(0, 2)).toEqual([one, card])
  expect(parts()[0]).toBe(one)
  expect(parts()[1]).toBe(card)
  expect(parts().map(({ textContent }) => textContent)).toEqual([
    'One',
    expect.stringContaining('Bash'),
    'Two',
  ])
})

test('P7 the foot of a running round counts the seconds, and says if no text arrives', () => {
  vi.useFakeTimers()
  const foot = () => root.querySelector('.foot')?.children.map(({ textContent }) => textContent)
  show([])
  vi.advanceTimersByTime(3000)
  expect(foot()).toEqual(['Working…', '3 s'])
  show([], { activity: { kind: 'writing', since: 't1', draft: 'It *greets*' } })
  expect(foot()).toEqual(['Writing…', ''])
  expect(root.querySelector('.draft')?.textContent).toBe('It greets')
  vi.advanceTimersByTime(20_000)
  expect(foot()).toEqual(['Writing…', 'no text for 20 s'])
  const text = 'The server answered 500.'
  show([], { activity: { kind: 'retry', since: 't2', waitMs: 4000, attempt: 2, text } })
  expect(foot()).toEqual([text, 'trying again in 4 s (attempt 2)'])
  vi.advanceTimersByTime(3000)
  expect(foot()).toEqual([text, 'trying again in 1 s (attempt 2)'])
  show([{ kind: 'text', text: 'Yes' }], { state: 'done' })
  expect(vi.getTimerCount()).toBe(0)
  expect(root.querySelector('.draft')?.textContent).toBe('')
  vi.useRealTimers()
})

test('H2 5c a card is drawn again in its place when its call ends', () => {
  show([call, text('After')])
  const [card, after] = parts()
  show([{ ...call, status: 'success', line: '3 files' }, text('After')])
  expect(parts()[0]).not.toBe(card)
  expect(parts()[0]?.textContent).toContain('3 files')
  expect(parts()[1]).toBe(after)
})

test('H2 5c a streamed answer keeps its finished blocks, so what is selected there stays selected', () => {
  show([text('# Title\n\nFirst\n\nSec')])
  const [answer] = parts()
  const [title, first, second] = answer?.children ?? []
  show([text('# Title\n\nFirst\n\nSecond\n\n- a')])
  expect(parts()[0]).toBe(answer)
  expect(answer?.children.slice(0, 2)).toEqual([title, first])
  expect(answer?.children[0]).toBe(title)
  expect(answer?.children[2]).not.toBe(second)
  expect(answer?.children.map(({ name }) => name)).toEqual(['h1', 'p', 'p', 'ul'])
})

test('H2 5c blocks and parts that are gone leave the page', () => {
  show([text('One\n\nTwo\n\nThree'), call])
  show([text('One')])
  expect(parts().map(({ textContent }) => textContent)).toEqual(['One'])
  expect(parts()[0]?.children).toHaveLength(1)
  // Another kind in the same place.
  show([call])
  expect(parts()[0]?.matches('.tool')).toBe(true)
})

test('H2 5c a thought that is open stays open while it grows, and its title is its whole first line', () => {
  show([{ kind: 'thought', text: 'I lo' }])
  const [thought] = parts()
  thought?.setAttribute('open', '')
  show([{ kind: 'thought', text: 'I look at it.\n\nThen more' }])
  expect(parts()[0]).toBe(thought)
  expect(thought?.attributes.has('open')).toBe(true)
  expect(thought?.querySelector('summary')?.textContent).toBe('Thought: I look at it.')
  expect(thought?.querySelector('.markdown')?.children).toHaveLength(2)
})

test('H2 5c the focus stays on the answers of a question while the rest of the round changes', () => {
  const asked = { id: 'q', name: 'Write', target: 'a.ts', reason: 'no rule', lasting: [] }
  const asking: ToolPart = { ...call, status: 'asking', question: asked }
  show([asking], { asked: [{ ...asked, id: 'q2' }] })
  const answers = root.querySelectorAll('.once')
  expect(answers).toHaveLength(2)
  show([asking, text('More of a sub-agent')], { asked: [{ ...asked, id: 'q2' }] })
  show([asking, text('More of a sub-agent, and more')], { asked: [{ ...asked, id: 'q2' }] })
  expect(answers.map((each) => each.isIn(root))).toEqual([true, true])
  // An answered question goes.
  show([asking], { asked: [] })
  expect(answers.map((each) => each.isIn(root))).toEqual([true, false])
})

test('H2 5c the foot follows the state, and the answer before stays above a run that sent nothing', () => {
  const foot = () => root.querySelector('.foot')
  show([text('One')])
  expect(foot()?.className).toBe('foot running')
  const [answer] = parts()
  show([text('One')], { state: 'done', startedAt: '2026-03-01T09:00:00.000Z' })
  expect(foot()?.className).toBe('foot done')
  show([text('One')], {
    ...{ state: 'done', startedAt: '2026-03-01T09:00:00.000Z' },
    unsent: { state: 'failed', message: 'x needs a key.', remedies: ['key'] },
  })
  expect(parts()[0]).toBe(answer)
  expect(root.querySelector('.unsent')?.textContent).toMatch(/x needs a key\. Nothing was sent/)
  expect(root.querySelectorAll('.remedy')).toHaveLength(1)
})
