import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Session } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { openSessionFile } from '../../src/sessions/session-file.js'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { longSession } from '../support/long-session.js'

const compact = ['compact', '--session', 'chat.json'] as const
const tight = ['-c', 'contextWindow=3700'] as const

function sessionFolder(
  session: object = longSession(14),
  files: Readonly<Record<string, string>> = {},
): string {
  return makeFolder({ 'chat.json': `${JSON.stringify(session, null, 2)}\n`, ...files })
}

function stored(folder: string): Session {
  return JSON.parse(readFileSync(join(folder, 'chat.json'), 'utf8'))
}

describe('compacting', () => {
  test('H1 compact replaces old rounds with a summary, and every cell stays in the file', async () => {
    const folder = sessionFolder()
    const { code, stdout, stderr } = await run(folder, compact)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^4 rounds leave the view, the newest 10 stay$/m)
    expect(stdout).toMatch(/^ {2}before +\d \d{3} {2}█{24}$/m)
    expect(stdout).toMatch(/^ {2}after +\d \d{3} {2}█+[▉▊▋▌▍▎▏]?$/m)
    expect(stdout).toMatch(/^Compacted as c-[0-9a-f]{8}\. To undo it: mutsumi compact --session chat\.json/m)
    expect(stderr).toContain('no model is configured; the summary is made from the records alone')
    const { cells, compactions = [] } = stored(folder)
    expect(cells).toEqual(longSession(14).cells)
    expect(compactions).toEqual([
      {
        id: expect.stringMatching(/^c-/),
        at: expect.stringMatching(/^20\d\d-.*Z$/),
        cells: 4,
        upTo: 14,
        compression: 'normal',
        summary: expect.stringContaining('## 📌 Archived Session Summary'),
        // Its cells have no ids.
        places: { cells: expect.anything(), upTo: { before: expect.any(String) } },
      },
    ])
    const { messages } = await runJson(folder, ['context', 'go on', '--session', 'chat.json'])
    const texts = messages.map(
      (message: { role: string; content: string }) => `${message.role} ${message.content}`,
    )
    expect(texts[1]).toMatch(/^system ## 📌 Archived Session Summary/)
    expect(texts[2]).toBe('user Question 5')
  })

  test('K6 compact --preview shows the loss and changes nothing', async () => {
    const folder = sessionFolder()
    const before = readFileSync(join(folder, 'chat.json'))
    const { stdout } = await run(folder, [...compact, '--preview'])
    expect(stdout).toMatch(/^4 rounds leave the view: 32 messages, about \d+ tokens\.$/m)
    expect(stdout).toMatch(/^ {2}"Question 1"$/m)
    expect(stdout).toMatch(/^ {2}src\/auth\.ts: read 4 times$/m)
    expect(stdout).toMatch(/^ {2}src\/a\.ts: changed 4 times$/m)
    expect(stdout).toMatch(/^ {2}npm test$/m)
    expect(stdout).toMatch(/^Nothing was changed: this is a preview\.$/m)
    expect(readFileSync(join(folder, 'chat.json'))).toEqual(before)
    expect(readdirSync(folder)).toEqual(['chat.json'])
  })

  test('K6 the loss report counts the tokens that leave the view, not those of the records', async () => {
    const { loss, tokens } = await runJson(sessionFolder(), [...compact, '--preview'])
    const leftWithoutSummary = tokens.before - tokens.after
    expect(loss.tokens).toBeGreaterThan(leftWithoutSummary)
    expect(loss.tokens).toBeLessThan(tokens.before / 2)
  })

  test('K6 compact --undo gives the same request as before', async () => {
    const folder = sessionFolder()
    const request = async () =>
      (await runJson(folder, ['context', 'go on', '--session', 'chat.json'])).messages
    const before = await request()
    await run(folder, compact)
    expect(await request()).not.toEqual(before)
    const { code, stdout } = await run(folder, [...compact, '--undo'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^c-[0-9a-f]{8} of 20\d\d-\d\d-\d\d \d\d:\d\d UTC was undone/)
    expect(await request()).toEqual(before)
    expect(stored(folder).compactions).toHaveLength(2)
  })

  test('K6 compact --undo ID undoes the named compaction, and --preview only says so', async () => {
    const made = { upTo: 14, compression: 'normal', summary: 's' } as const
    const folder = sessionFolder(
      longSession(14, [
        { id: 'first', cells: 2, ...made },
        { id: 'second', cells: 3, ...made },
      ]),
    )
    const before = readFileSync(join(folder, 'chat.json'), 'utf8')
    expect((await run(folder, [...compact, '--undo', 'first', '--preview'])).stdout).toMatch(
      /would be undone/,
    )
    expect(readFileSync(join(folder, 'chat.json'), 'utf8')).toBe(before)
    const { undone } = await runJson(folder, [...compact, '--undo', 'first'])
    expect(undone.id).toBe('first')
    expect(stored(folder).compactions?.at(-1)).toEqual({ undo: 'first' })
  })

  test('K2 a second compaction adds a summary to the first', async () => {
    const folder = sessionFolder()
    await run(folder, compact)
    const { plan } = await runJson(folder, [...compact, '-c', 'retainRounds=6'])
    expect(plan).toMatchObject({ leaving: 4, staying: 6, cells: 8 })
    const { messages } = await runJson(folder, ['context', 'go on', '--session', 'chat.json'])
    expect(messages.slice(1, 4).map((message: { role: string }) => message.role)).toEqual([
      'system',
      'system',
      'user',
    ])
  })

  test('K3 if the rounds that should stay are too large, each step of the ladder is reported', async () => {
    const { code, stdout } = await run(sessionFolder(), [...compact, ...tight, '-c', 'compactTo=0.45'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      'The rounds that should stay are too large together, so:\n  only 1 finished round can stay\n  tool results are reduced to what they were about\n',
    )
  })

  test('K3 a request that fits no window is a clear error, and the session is left alone', async () => {
    const folder = sessionFolder()
    const before = readFileSync(join(folder, 'chat.json'), 'utf8')
    const { code, stdout, stderr } = await run(folder, [...compact, '-c', 'contextWindow=500'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /does not fit the window of 500 tokens.*the system prompt with its tools takes \d+/,
    )
    expect(readFileSync(join(folder, 'chat.json'), 'utf8')).toBe(before)
  })

  test('K1 if there is nothing to compact, it says so with numbers and exits with 0', async () => {
    const folder = sessionFolder(longSession(3))
    const { code, stdout } = await run(folder, compact)
    expect(code).toBe(0)
    expect(stdout).toContain(
      'Nothing to compact: 3 rounds are shown, and the newest 10 stay; --keep 2 keeps only two.',
    )
    expect(stdout).toMatch(
      /takes about \d \d{3} of 200 000 tokens \(\d\.\d %\); compaction begins at 160 000\./,
    )
    expect(stored(folder)).toEqual(longSession(3))
  })

  test('K1 a few rounds leave if the window is full, even if there are fewer than retainRounds', async () => {
    const roomy = await runJson(sessionFolder(longSession(8)), [...compact, '--preview'])
    expect(roomy.plan.kind).toBe('nothing')
    const full = await runJson(sessionFolder(longSession(8)), [
      ...compact,
      '--preview',
      '-c',
      'contextWindow=2700',
    ])
    expect(full.tokens.before).toBeGreaterThanOrEqual(full.tokens.threshold)
    expect(full.plan.ladder[0]).toMatch(/^only \d finished rounds? can stay$/)
  })

  test('K1 --keep takes rounds, or tokens that the newest rounds may take together', async () => {
    const keep = async (amount: string) => {
      const { plan } = await runJson(sessionFolder(), [...compact, '--preview', '--keep', amount])
      return plan.staying
    }
    expect(await keep('3')).toBe(3)
    const byTokens = await keep('1k')
    expect(byTokens).toBeGreaterThan(1)
    expect(byTokens).toBeLessThan(10)
    expect(await keep('1000')).toBe(byTokens)
    expect(await keep('1.4k')).toBeGreaterThan(byTokens)
    const { code, stderr } = await run(sessionFolder(), [...compact, '--keep', 'much'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('--keep: takes rounds from 1 on ("10"), or')])
  })

  test('H1 compact --json prints the plan, the loss, the compaction and the warnings', async () => {
    const folder = sessionFolder()
    const preview = await runJson(folder, [...compact, '--preview'])
    expect(Object.keys(preview).sort()).toEqual(['loss', 'plan', 'rounds', 'tokens', 'warnings'])
    const { plan, loss, compaction, warnings, tokens } = await runJson(folder, compact)
    expect(plan).toMatchObject({ kind: 'plan', leaving: 4, staying: 10, ladder: [] })
    expect(loss).toMatchObject({ rounds: 4, commands: ['npm test'] })
    expect(stored(folder).compactions).toEqual([compaction])
    expect(warnings).toEqual([{ code: 'summary', message: expect.any(String), source: 'summary' }])
    expect(tokens.after).toBeLessThan(tokens.before)
  })

  test('K5 with summary.fallback=none the newest rounds stay without a summary', async () => {
    const folder = sessionFolder()
    const { stderr } = await run(folder, [...compact, '-c', 'summary.fallback=none'])
    expect(stderr).toMatch(
      /no model is configured and summary\.fallback is none; keeping recent history only/,
    )
    expect(stored(folder).compactions?.[0]).not.toHaveProperty('summary')
  })

  test('K4 a summary is compared with the shown length of the rounds, not with their records', async () => {
    const { tokens, compaction } = await runJson(sessionFolder(longSession(11)), compact)
    expect(compaction).toMatchObject({ cells: 1 })
    expect(compaction).not.toHaveProperty('summary')
    expect(tokens.after).toBeLessThan(tokens.before)
  })

  test('K4 a summary that would be longer than the rounds it replaces is not kept', async () => {
    const cells = Array.from({ length: 12 }, () => ({ content: 'x'.repeat(240) }))
    const folder = sessionFolder({ cells })
    const { tokens, compaction } = await runJson(folder, compact)
    expect(compaction).not.toHaveProperty('summary')
    expect(tokens.after).toBeLessThan(tokens.before)
  })
})

describe('the session file', () => {
  test('K6 unknown fields, indentation, mode and links of the file survive', async () => {
    const folder = sessionFolder({ title: 'mine', ...longSession(12), later: { version: [1, null] } })
    const path = join(folder, 'chat.json')
    chmodSync(path, 0o640)
    symlinkSync('chat.json', join(folder, 'link.json'))
    expect((await run(folder, ['compact', '--session', 'link.json'])).code).toBe(0)
    const text = readFileSync(path, 'utf8')
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    expect(JSON.parse(text)).toMatchObject({ title: 'mine', later: { version: [1, null] } })
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['chat.json', 'link.json'])
  })

  test('K6 a session that another program changed meanwhile is not overwritten', async () => {
    const path = join(sessionFolder(), 'chat.json')
    const file = await openSessionFile(path)
    writeFileSync(path, '{"cells":[{"content":"newer"}]}')
    await expect(file.appendCompaction({ undo: 'x' })).rejects.toThrow(
      /changed on disk meanwhile, so nothing was written/,
    )
    expect(readFileSync(path, 'utf8')).toBe('{"cells":[{"content":"newer"}]}')
  })

  test('K6 a read-only session is refused for every user', async () => {
    const folder = sessionFolder()
    chmodSync(join(folder, 'chat.json'), 0o444)
    const { code, stderr } = await run(folder, compact)
    expect(code).toBe(1)
    expect(stderr).toMatch(/the session chat\.json is read-only; chmod u\+w/)
    expect((await run(folder, [...compact, '--preview'])).code).toBe(0)
  })

  test.for([
    ['no session at all', ['compact', '--json'], 2, /required option '--session/],
    [
      'a session that is not there',
      ['compact', '--session', 'no.json'],
      1,
      /no session "no\.json": no such file/,
    ],
    [
      'a file that is not a session',
      ['compact', '--session', 'list.json'],
      1,
      /is not a valid session: it must be a JSON object/,
    ],
    [
      'compactions that are not a list',
      ['compact', '--session', 'odd.json'],
      1,
      /"compactions" must be a list/,
    ],
    [
      'nothing to undo',
      ['compact', '--session', 'ok.json', '--undo'],
      1,
      /nothing to undo: there is no active compaction/,
    ],
    [
      'an undo of nothing',
      ['compact', '--session', 'made.json', '--undo', 'frist'],
      1,
      /did you mean first\?/,
    ],
    ['a folder', ['compact', '--session', '.'], 1, /it is a folder/],
  ] as const)('H1 compact answers %s with a message and an exit code', async ([, args, code, message]) => {
    const folder = makeFolder({
      'list.json': '[]',
      'odd.json': '{"cells":[],"compactions":{}}',
      'ok.json': '{"cells":[]}',
      'made.json': '{"cells":[],"compactions":[{"id":"first","cells":0,"upTo":0,"compression":"normal"}]}',
    })
    const result = await run(folder, args)
    expect(result.code).toBe(code)
    expect(result.stderr).toMatch(message)
    expect(result.stdout).toBe('')
  })

  test('H1 a session’s content cannot control the terminal', async () => {
    const session = longSession(12) as { cells: { content: string }[] } & Session
    const cells = session.cells.map((cell) => ({ ...cell, content: '\u001b[31mred\u202e' }))
    const folder = sessionFolder({ ...session, cells })
    const { stdout } = await run(folder, compact)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
    expect(stdout).toContain('red')
  })
})
