import { describe, expect, test } from 'vitest'
import { describeLoss, lossReport } from '../../src/compaction/loss-report.js'
import { roundsOf } from '../../src/history/rounds.js'
import { answer, call, result, round, step } from '../support/histories.js'

const fixing = [
  step('', call('1', 'Read', { path: 'a.ts' }), call('2', 'Write', { path: 'b.ts' })),
  result('1', { path: 'a.ts' }),
  result('2', { path: 'b.ts', created: true }, 'Write'),
  step('', call('3', 'Edit', { path: 'b.ts' }), call('4', 'Bash', { command: 'npm test' })),
  result('3', { path: 'b.ts', applied: true }, 'Edit'),
  result('4', { exit_code: 0 }, 'Bash'),
  answer('fixed'),
]
const thanking = [answer('welcome')]
const cells = [
  { content: 'an old summary', metadata: { role: 'summary' } },
  round('fix the login', ...fixing),
  round('thanks', ...thanking),
]

describe('the loss report', () => {
  test('K6 it says what leaves the view: rounds, messages, tokens, files, commands, prompts', () => {
    const report = lossReport(roundsOf(cells.slice(1)), { counter: { count: (text) => text.length } })
    const sent = fixing.length + thanking.length + 2
    expect(report).toMatchObject({
      rounds: 2,
      messages: sent,
      files: [
        { path: 'a.ts', read: 1, edited: 0 },
        { path: 'b.ts', read: 0, edited: 2 },
      ],
      commands: ['npm test'],
      prompts: ['fix the login', 'thanks'],
      more: { files: 0, commands: 0, prompts: 0 },
    })
  })

  test('K6 the calls count as well as the texts', () => {
    const tokens = (...steps: Parameters<typeof roundsOf>[0]) =>
      lossReport(roundsOf(steps), { counter: { count: (text) => text.length } }).tokens
    const args = { command: 'x'.repeat(500) }
    expect(tokens(round('abc', answer('de')))).toBe(5)
    expect(tokens(round('abc', step('', call('1', 'Bash', args)), answer('de')))).toBeGreaterThan(505)
  })

  test('K6 summaries stay, so they do not count as a loss', () => {
    expect(lossReport(roundsOf(cells)).messages).toBe(lossReport(roundsOf(cells.slice(1))).messages)
  })

  test('K6 lists for people are short and say how many more there are', () => {
    const many = Array.from({ length: 250 }, (_, index) => round(`prompt ${index}`, answer('ok')))
    const lines = describeLoss(lossReport(roundsOf(many)))
    expect(lines[0]).toMatch(/^250 rounds leave the view: 500 messages, about \d+ tokens\.$/)
    expect(lines.slice(1, 4)).toEqual(['Asked:', '  (240 earlier)', '  "prompt 240"'])
    expect(lines).toHaveLength(1 + 12 + 1)
  })

  test('K6 of many files those that were changed are shown', () => {
    const reads = Array.from({ length: 30 }, (_, index) => result(`${index}`, { path: `read${index}.ts` }))
    const steps = [result('e', { path: 'changed.ts', applied: true }, 'Edit'), ...reads]
    expect(describeLoss(lossReport(roundsOf([round('x', ...steps)])))).toContain('  changed.ts: changed once')
  })

  test('K6 no line can control a terminal or look like two lines', () => {
    const hostile = 'a\u001b[2J\nb\u202e'
    const lines = describeLoss(
      lossReport(
        roundsOf([
          round(
            hostile,
            step('', call('1', 'Bash', { command: hostile }), call('2', 'Edit', { path: hostile })),
          ),
        ]),
      ),
    )
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u)
  })

  test('K6 if nothing leaves, the report says so', () => {
    expect(describeLoss(lossReport([]))).toEqual(['Nothing leaves the view.'])
  })
})
