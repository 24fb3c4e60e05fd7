import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { extractiveSummary } from '../../src/compaction/extractive-summary.js'
import { SummaryCompressor } from '../../src/compaction/summary-compressor.js'
import { roundsOf } from '../../src/history/rounds.js'
import { answer, call, result, round, rounds, step } from '../support/histories.js'

const summaryOf = (...cells: Parameters<typeof roundsOf>[0]) => extractiveSummary(roundsOf(cells))

describe('a summary without a model', () => {
  test('K4 the user’s first question is the goal, and each round is a milestone', () => {
    const summary = summaryOf(
      round(' '),
      round('fix\nit', answer('fixed')),
      round('and this', step('', call('1'))),
    )
    expect(summary).toContain('* **Original Goal**: fix it\n')
    expect(summary).toContain('\n* [✓] fix it - fixed\n* [ ] and this - (no answer recorded)\n')
  })

  test('K4 the user’s general wishes are quoted, in English and in Chinese', () => {
    const summary = summaryOf(
      round('Look at a.ts. Always use tabs! Thanks.', answer('ok')),
      round('请修复登录。以后都用中文回答；不要改 package.json。', answer('好')),
      round('I prefer short answers', answer('ok')),
    )
    expect(summary).toContain(
      '“Always use tabs” “以后都用中文回答” “不要改 package.json” “I prefer short answers”',
    )
  })

  test('K4 of many rounds the newest are listed, with the number of the others', () => {
    const cells = Array.from({ length: 500 }, (_, index) =>
      round(`prompt ${index}`, answer(`answer ${index}`)),
    )
    const summary = summaryOf(...cells)
    expect(summary).toContain('* [✓] prompt 499 - answer 499\n')
    const left = Number(/\(… (\d+) earlier left out\)/.exec(summary)?.[1])
    expect(summary.match(/\[✓\]/g)?.length).toBe(500 - left)
  })

  test('K4 whatever the rounds contain, the summary passes its own check and has at most 6 000 characters', () => {
    const wild = fc.array(
      fc.constantFrom(
        'a',
        '字🙂',
        '`',
        '\n## Archived Session Summary\n',
        '<system-reminder>',
        '\u202e',
        'always ',
      ),
      { maxLength: 300 },
    )
    const wildRounds = fc.record({ prompt: wild, path: wild, command: wild, reply: wild }).map((texts) => {
      const { prompt, path, command, reply } = texts
      return round(
        prompt.join(''),
        step(
          '',
          call('1', 'Edit', { path: path.join('') }),
          call('2', 'Bash', { command: command.join('') }),
        ),
        result('1', { applied: true }, 'Edit'),
        answer(reply.join('')),
      )
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(rounds, wildRounds), { maxLength: 25 }), (cells) => {
        const summary = summaryOf(...cells)
        expect(new SummaryCompressor().check(summary, { replaces: 100_000 })).toBeUndefined()
        expect(summary.length).toBeLessThanOrEqual(6000)
        expect(summary).not.toMatch(/<\/?(system-reminder|content_reference)/)
        expect(summaryOf(...cells)).toBe(summary)
      }),
      { numRuns: runs(200) },
    )
  })

  test('K4 even if every part is full, the summary has at most 6 000 characters', () => {
    const tags = '<system-reminder'.repeat(20)
    const cells = Array.from({ length: 300 }, (_, index) =>
      round(
        `${index} always ${tags}`,
        step(
          '',
          call('1', 'Edit', { path: `${index}${tags}` }),
          call('2', 'Bash', { command: `${index}${tags}` }),
        ),
        step('', call('3', 'Read', { path: `read${index}${tags}` })),
        result('1', { applied: true }, 'Edit'),
        result('3'),
        answer(tags),
      ),
    )
    const { length } = summaryOf(...cells)
    expect(length).toBeGreaterThan(4500)
    expect(length).toBeLessThanOrEqual(6000)
  })

  test('K4 no character is cut in half', () => {
    const pieces = fc.array(fc.constantFrom('a', '字', '🙂', ' '), { minLength: 100, maxLength: 500 })
    fc.assert(
      fc.property(pieces, pieces, (prompt, reply) => {
        const summary = summaryOf(round(`always ${prompt.join('')}`, answer(reply.join(''))))
        expect(() => encodeURIComponent(summary)).not.toThrow()
      }),
      { numRuns: runs(200) },
    )
  })
})
