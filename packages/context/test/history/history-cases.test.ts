import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type HistoryCase, historyRequest } from '../support/history-case.js'

/**
 * Each folder of `history-cases` is a session and the whole request that it sends next:
 *
 *     input.json   `about` says what to look at; `session`, `settings`, `files`, `prompt` and what `HistoryCase` tells.
 *                  A tool's message may hold its whole result: it is kept as a host keeps it
 *     expected.md  what the user is told, each line behind `>`, then the request as text with its roles
 *
 * The letters in the folders' names are the rules of the design, the ids of the titles its contracts here.
 */
const folder = join(import.meta.dirname, 'history-cases')

describe('history as texts', () => {
  test('L1 the layers stand in their order', () => check('01-a1-the-layers'))
  test('L2 the project’s rules are found in any letter case and are no part of history', () =>
    check('02-c5-code-law'))
  test('C1 the running round sees results whole, history what it keeps of them', () =>
    check('03-a2-the-running-round'))
  test('C2 history keeps of each tool what its rule says', () => check('04-a3-every-tool'))
  test('C1 history keeps how a call ended, its error whole, and its marks', () => check('05-c1-how-it-ended'))
  test('K2 whole rounds leave and every call keeps its result', () => check('06-a4-whole-rounds-leave'))
  test('K2 a summary is never compacted, only added to', () => check('07-a4-summaries-are-added'))
  test('K4 a model’s summary gets its times, files and commands from the records', () =>
    check('08-a5-the-summary'))
  test('K4 without a model the summary is made from the records', () => check('09-a5-without-a-model'))
  test('K1 below the threshold nothing is compacted', () => check('10-a6-below-the-threshold'))
  test('K1 at the threshold of the window that is set history is compacted', () =>
    check('11-e5-at-the-threshold'))
  test('F1 a mentioned file adds no content, only the reminder to read it', () => check('12-a7-a-mention'))
  test('F1 five mentions are named in order without repeats, the others counted', () =>
    check('13-c3-many-mentions'))
  test('F2 quotes, other scripts and punctuation are understood, fenced code is not', () =>
    check('14-e4-other-names'))
  test('F3 a file that was changed by somebody else is told in history too', () => check('15-a8-freshness'))
  test('C4 a read that a newer one replaces is a line that names it', () => check('16-stale-reads'))
  test('K3 where the newest rounds are too large the ladder goes on', () => check('17-c6-the-ladder'))
  test('K2 an interrupted round is whole in the view', () => check('18-d1-an-interrupted-round'))
  test('A1 results stand behind their roles, and no content can speak for another', () =>
    check('19-e1-roles'))
  test('K5 a summary that takes too long is left out, and the user is told', () => check('20-e2-out-of-time'))
  test('K6 an undone compaction leaves no trace in the request', () => check('21-undone'))

  test('K6 every case is run', () => {
    const run = readFileSync(import.meta.filename, 'utf8')
    expect(readdirSync(folder).filter((name) => !run.includes(`check('${name}')`))).toEqual([])
  })
})

async function check(name: string): Promise<void> {
  const input = JSON.parse(readFileSync(join(folder, name, 'input.json'), 'utf8')) as HistoryCase
  expect(`${await historyRequest(input)}\n`).toBe(readFileSync(join(folder, name, 'expected.md'), 'utf8'))
}
