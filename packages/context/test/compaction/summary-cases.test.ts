import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionCell } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { extractiveSummary } from '../../src/compaction/extractive-summary.js'
import { describeLoss, lossReport } from '../../src/compaction/loss-report.js'
import { SummaryCompressor } from '../../src/compaction/summary-compressor.js'
import { recordsOf } from '../../src/history/records.js'
import { roundsOf } from '../../src/history/rounds.js'

/**
 * Each folder of `summary-cases` is a history that leaves the view, and what is said of it:
 *
 *     input.json     its cells, the summaries before it, the number of its first round
 *     request.md     the prompt of the model that summarizes it
 *     extractive.md  the summary without a model
 *     loss.txt       the loss report, as people read it
 *     answer.md      what a model answered, and
 *     summary.md     what is made of that
 */
const folder = join(import.meta.dirname, 'summary-cases')
const names = readdirSync(folder).sort()

interface Case {
  readonly cells: readonly SessionCell[]
  readonly previousSummaries: readonly string[]
  readonly firstRound?: number
}

describe('summaries as texts', () => {
  test('K4 there are cases to run', () => expect(names.length).toBeGreaterThanOrEqual(3))

  for (const name of names) {
    const { cells, ...options } = JSON.parse(readFileSync(join(folder, name, 'input.json'), 'utf8')) as Case
    const rounds = roundsOf(cells)
    const compressor = new SummaryCompressor()

    test(`K4 case ${name}: the request`, () =>
      expectText(name, 'request.md', compressor.request(rounds, options).prompt))
    test(`K4 case ${name}: the summary without a model`, () =>
      expectText(name, 'extractive.md', extractiveSummary(rounds)))
    test(`K6 case ${name}: the loss report`, () =>
      expectText(name, 'loss.txt', describeLoss(lossReport(rounds)).join('\n')))
    if (existsSync(join(folder, name, 'answer.md')))
      test(`K4 case ${name}: a model's answer`, () => {
        const answer = readFileSync(join(folder, name, 'answer.md'), 'utf8')
        expect(compressor.check(answer, { replaces: 100_000 })).toBeUndefined()
        expectText(name, 'summary.md', compressor.complete(answer, recordsOf(rounds)))
      })
  }
})

function expectText(name: string, file: string, text: string): void {
  expect(`${text}\n`).toBe(readFileSync(join(folder, name, file), 'utf8'))
}
