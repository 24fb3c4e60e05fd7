import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compactionThreshold } from '@mutsumi/context/parts'
import { flagAssignments, readSettings, runDefaults } from '@mutsumi/host'
import { expect, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'

test('K1 every setting of compaction is taken from -c', () => {
  const assignments = [
    ...['compactAt=0.7', 'compactTo=0.5', 'retainRounds=3', 'minMessages=5'],
    ...['summary.fallback=extractive', 'summary.timeoutMs=5000'],
    ...['history.rewrite=priced', 'prices.read=0.25', 'prices.write=0', 'tokens.estimator=tokenizer'],
  ]
  expect(readSettings(flagAssignments(assignments))).toMatchObject({
    compactAt: 0.7,
    compactTo: 0.5,
    retainRounds: 3,
    minMessages: 5,
    summary: { fallback: 'extractive', timeoutMs: 5000, model: '' },
    history: { rewrite: 'priced', cleanAbove: 40_000 },
    prices: { read: 0.25, write: 0 },
    tokens: { estimator: 'tokenizer' },
  })
})

test('K1 a compactAt below the default compactTo lowers compactTo too', () => {
  expect(readSettings(flagAssignments(['compactAt=0.3']))).toMatchObject({ compactAt: 0.3, compactTo: 0.3 })
})

test.for([
  ['compactAt=2', /a share between 0 and 1/],
  ['compactTo=0', /a share between 0 and 1/],
  ['compactTo=0.9', /compactTo: 0\.9 is above compactAt, 0\.8/],
  ['retainRounds=0', /a whole number from 1/],
  ['minMessages=x', /a whole number from 1/],
  ['summary.fallback=some', /takes none or extractive, not "some"/],
  ['summary.timeoutMs=0', /a whole number from 1/],
  ['summary.timeout=5', /did you mean summary\.timeoutMs\?/],
  ['tokens.estimator=guess', /takes length or tokenizer, not "guess"/],
  ['history.rewrite=never', /takes round or priced, not "never"/],
  ['prices.read=-1', /a number from 0/],
  ['prices.write=', /a number from 0/],
  ['retainRound=3', /did you mean retainRounds\?/],
] as const)('H1 the setting %s is refused with the reason', async ([assignment, message]) => {
  const { code, stderr } = await run(makeFolder(), ['context', 'x', '-c', assignment])
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})

test('K1 tokens.estimator=tokenizer counts as a real tokenizer does, in every command', async () => {
  const prompt = 'word '.repeat(3000)
  const folder = makeFolder({ 'chat.json': JSON.stringify({ cells: [{ content: prompt }] }) })
  const userTokens = async (...flags: string[]) =>
    (await runJson(folder, ['context', prompt, ...flags])).tokens.byLayer.user
  expect(await userTokens()).toBe(5000)
  expect(await userTokens('-c', 'tokens.estimator=tokenizer')).toBeLessThan(3100)
  const compact = ['compact', '--session', 'chat.json', '--preview']
  const before = async (...flags: string[]) => (await runJson(folder, [...compact, ...flags])).tokens.before
  expect(await before('-c', 'tokens.estimator=tokenizer')).toBeLessThan((await before()) - 1500)
})

test('K1 compaction begins at a share of the window, or at a number of tokens', () => {
  const threshold = (value: string) =>
    compactionThreshold(readSettings([{ key: 'compactAt', value, label: 'x' }], runDefaults))
  expect(threshold('0.5')).toBe(100_000)
  expect(threshold('80k')).toBe(80_000)
  expect(threshold('80000')).toBe(80_000)
  // No more than the model takes.
  expect(threshold('900k')).toBe(200_000)
})

test('K1 a compaction keeps a number of rounds, or the newest rounds up to a number of tokens', () => {
  const kept = (...texts: string[]) => {
    const { retainRounds, retainTokens } = readSettings(flagAssignments(texts), runDefaults)
    return [retainRounds, retainTokens]
  }
  expect(kept()).toEqual([10, 0])
  expect(kept('keep=5')).toEqual([5, 0])
  expect(kept('keep=20k')).toEqual([10, 20_000])
  expect(kept('keep=20000')).toEqual([10, 20_000])
  // The one that comes last counts.
  expect(kept('keep=20k', 'retainRounds=3')).toEqual([3, 0])
  expect(kept('retainRounds=3', 'keep=2.5k')).toEqual([3, 2500])
  for (const wrong of ['0', '-1', '1.5', '0.5k', 'k', '', '20kk', '1e3'])
    expect(() => kept(`keep=${wrong}`)).toThrow('-c keep: takes rounds from 1 on ("10"), or tokens from 1000')
})

test('K1 C6 tokens may be written in thousands', () => {
  const set = (text: string) => readSettings(flagAssignments([text]), runDefaults)
  expect(set('contextWindow=128k').contextWindow).toBe(128_000)
  expect(set('history.cleanAbove=20k').history.cleanAbove).toBe(20_000)
  expect(set('history.cleanAbove=0').history.cleanAbove).toBe(0)
})

test('H6 profile: "documents" sets everything to the letter of the design documents, and single settings go before it', () => {
  const documented = readSettings(flagAssignments(['profile=documents']))
  expect(documented).toEqual({
    ...readSettings(
      flagAssignments([
        ...['protocol=react', 'ghost.placement=newest', 'ghost.format=json', 'results.form=json'],
        ...['history.rewrite=round', 'history.cleanAbove=0', 'history.stubs=false', 'summaries.shrink=false'],
        ...['kept.ls=10', 'kept.glob=10', 'kept.grep=5', 'kept.read=500', 'kept.edit=50', 'kept.write=50'],
        ...['kept.output=0', 'kept.stdout=5', 'kept.stderr=20', 'kept.other=1000'],
      ]),
    ),
    profile: 'documents',
  })
  for (const texts of [
    ['protocol=native', 'profile=documents', 'kept.grep=7'],
    ['profile=documents', 'protocol=native', 'kept.grep=7'],
  ])
    expect(readSettings(flagAssignments(texts))).toEqual({
      ...documented,
      protocol: 'native',
      kept: { ...documented.kept, grep: 7 },
    })
  expect(readSettings(flagAssignments(['profile=documents', 'profile=default']))).toEqual(runDefaults)
  expect(() => readSettings(flagAssignments(['profile=seeds']))).toThrow('takes default or documents')
})

test('H6 config list says which values come from the profile, and the guide lists each of them', async () => {
  const folder = makeFolder()
  const { stdout } = await run(folder, ['config', 'list', '-c', 'profile=documents', '-c', 'protocol=native'])
  const values = [...stdout.matchAll(/^ *(\S+) +(\S+) +.*profile: documents$/gm)]
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guide/design-documents.md'), 'utf8')
  expect(values.length).toBeGreaterThan(6)
  for (const [, name, value] of values)
    expect(guide).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\| \\w+ \\| ${value} \\|`, 'm'))
  expect(stdout).toMatch(/protocol +native +-c/)
})

test('K1 the window is that of the model, at most 200 000, unless the user sets more', async () => {
  const window = async (...flags: string[]) =>
    (await runJson(makeFolder(), ['context', 'hi', ...flags])).tokens.window
  expect(await window('-m', 'gpt-4.1')).toBe(200_000)
  expect(await window('-m', 'gpt-4o')).toBe(128_000)
  expect(await window('-m', 'gpt-4.1', '-c', 'contextWindow=1000k')).toBe(1_000_000)
})
