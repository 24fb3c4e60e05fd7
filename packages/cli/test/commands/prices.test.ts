import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionsFolder } from '@mutsumi/session/node'
import { expect, test } from 'vitest'
import { run, runJson } from '../support/command-here.js'
import { action, finish, scripted } from '../support/scripted.js'
import { addToolRound, workspaceWith, writer } from '../support/stored-session.js'

/** A session with several rounds of two requests each. */
async function used() {
  const folder = await workspaceWith({ rounds: 1 })
  const file = await writer(join(sessionsFolder(folder), 'talk.mtm'))
  for (let round = 0; round < 4; round++) await addToolRound(file, `What does a${round}.ts export?`)
  await file.close()
  return folder
}

const prices = ['context', '--session', 'talk', '--prices']

test('K1 --prices gives a program every threshold with and without cleaning, and what it assumed', async () => {
  const folder = await used()
  const report = await runJson(folder, [...prices, '-c', 'compactAt=50k'])
  const streamed = await run(folder, [...prices, '-c', 'compactAt=50k', '--stream-json'])
  expect(JSON.parse(streamed.stdout)).toEqual(report)
  expect(report.requests).toBe(8)
  const names = report.thresholds.map(({ name }: { name: string }) => name)
  expect(names).toEqual([
    ...['never', '0.8 of the window, 160k', '0.6 of the window, 120k', '0.4 of the window, 80k'],
    ...['50k', '0.2 of the window, 40k', 'after a pause, above 40k'],
  ])
  for (const { cleaned, notCleaned, isSet, compactAt } of report.thresholds) {
    expect(cleaned).toMatchObject({ requests: 8, compactions: 0, price: expect.any(Number) })
    expect(notCleaned.price).toBe(cleaned.price)
    expect(isSet).toBe(compactAt === 50_000 ? true : undefined)
  }
  expect(report.recorded).toMatchObject({ counted: 8, price: expect.any(Number) })
  expect(report.assumed).toMatchObject({ cacheMinutes: 5, read: 0.1, write: 1.25, isTokenGuessed: false })
})

test('K1 a threshold that the session crosses is priced with its compactions, by the price of the model', async () => {
  const table = ['-c', 'contextWindow=3000', '-c', 'compactAt=1000', '-c', 'keep=1']
  const report = await runJson(await used(), [
    ...prices,
    ...table,
    '-c',
    'cost.input=1',
    '-c',
    'cost.output=4',
  ])
  const own = report.thresholds.find(({ isSet }: { isSet?: true }) => isSet)
  const [never] = report.thresholds
  expect(own.cleaned.compactions).toBeGreaterThan(0)
  expect(own.cleaned.largest).toBeLessThan(never.cleaned.largest)
  expect(report.assumed).toMatchObject({ outputPrice: 4, isOutputPriceGuessed: false })
})

test('K1 people see one row per threshold, which one is active, and which numbers are estimates', async () => {
  const { stdout, code } = await run(await used(), prices)
  expect(code).toBe(0)
  expect(stdout).toMatch(/talk\.mtm: 8 requests\n/)
  expect(stdout).toMatch(/compacted at +compactions +cleanings +largest +sent +price +against yours/)
  expect(stdout).toMatch(/^ {2}0\.8 of the window, 160k .*← your setting$/m)
  expect(stdout).toMatch(/^ {2}never .*±0\.0 %/m)
  expect(stdout).toMatch(/^Recorded: 8 requests cost [\d ]+ by the provider's counts\./m)
  expect(stdout).toMatch(/\.\n$/)
  expect(stdout).toMatch(/^Estimated: tokens are estimated from characters.*\(no price is set\)\.$/m)
})

test('K1 the row of the settings that were used comes near to what was really sent', async () => {
  const text = 'export const value = lookup("key", { deep: [1] })\n'.repeat(60)
  const files = Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [`f${index}.ts`, `${index}\n${text}`]),
  )
  const { folder, flags } = scripted([], files)
  const settings = ['-c', 'history.cleanAbove=4000', '-c', 'contextWindow=20k']
  for (const path of Object.keys(files)) {
    const replies = [action('Read', { path }), finish(`${path} has constants`)]
    writeFileSync(join(folder, 'script.jsonl'), replies.map((reply) => JSON.stringify(reply)).join('\n'))
    await run(folder, ['-p', `What is in ${path}?`, '--session', 'talk.mtm', ...flags, ...settings])
  }
  const report = await runJson(folder, ['context', '--session', 'talk.mtm', '--prices', ...settings])
  const { total } = await runJson(folder, ['usage', '--session', 'talk.mtm'])
  const own = report.thresholds.find(({ isSet }: { isSet?: true }) => isSet)
  expect(total.requests).toBe(12)
  expect(own.cleaned.cleanings).toBeGreaterThan(0)
  expect(own.cleaned.written / total.input).toBeGreaterThan(0.93)
  expect(own.cleaned.written / total.input).toBeLessThan(1.07)
  expect(own.notCleaned.written).toBeGreaterThan(own.cleaned.written)
  // A scripted model has no cache.
  expect([report.assumed.cacheMinutes, report.assumed.write, own.cleaned.cached]).toEqual([0, 1, 0])
})

test('K1 a session without requests, and a prompt beside --prices, are refused with the reason', async () => {
  const folder = await workspaceWith({ rounds: 1 })
  const empty = await run(folder, prices)
  expect([empty.code, empty.stderr]).toEqual([
    1,
    expect.stringContaining('no request is recorded in this session'),
  ])
  const asked = await run(folder, ['context', 'why?', '--session', 'talk', '--prices'])
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('leave out the prompt')])
})
