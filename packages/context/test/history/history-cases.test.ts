import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type HistoryCase, historyRequest } from '../support/history-case.js'

/**
 * Each folder of `history-cases` is a session and the whole request that it sends next:
 *
 *     input.json   `about` says what to look at; `session`, `settings`, `files`, `prompt` and what `HistoryCase` tells.
 *                  A tool's message may hold its whole result: it is kept as a host keeps it
 *     expected.md  the user's notes, each line after `>`, then the request as text with its roles
 *
 * The letters in the folders' names are the rules of the design, the ids of the titles its contracts here.
 */
const folder = join(import.meta.dirname, 'history-cases')

describe('history as texts', () => {
  test('L1 the layers are in order', () => check('01-a1-the-layers'))
  test('L2 the project’s rules are found in any letter case and are not part of history', () =>
    check('02-c5-code-law'))
  test('C1 the running round sees full results, history the shortened ones', () =>
    check('03-a2-the-running-round'))
  test('C2 history shortens each tool’s results by that tool’s rule', () => check('04-a3-every-tool'))
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
  test('F1 five mentions are named in order without repeats, and the others are counted', () =>
    check('13-c3-many-mentions'))
  test('F2 quotes, other scripts and punctuation are understood, fenced code is not', () =>
    check('14-e4-other-names'))
  test('F3 history also says that somebody else changed a file', () => check('15-a8-freshness'))
  test('C4 a read that a newer one replaced is one line that names the newer one', () =>
    check('16-stale-reads'))
  test('K3 if the newest rounds are too large, the ladder continues', () => check('17-c6-the-ladder'))
  test('K2 an interrupted round is whole in the view', () => check('18-d1-an-interrupted-round'))
  test('A1 results follow their role labels, and no content can imitate another role', () =>
    check('19-e1-roles'))
  test('K5 a summary that takes too long is left out, and a warning says so', () =>
    check('20-e2-out-of-time'))
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
