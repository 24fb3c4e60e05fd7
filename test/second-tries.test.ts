import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const { isAboutRaces } = await import(new URL('../scripts/second-tries.mjs', import.meta.url).href)

test('a test that passes at the second try is named with its first failure, and CI collects the line; a race has no second try', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mutsumi-tries-'))
  try {
    const lines = join(folder, 'second-tries')
    await writeFile(
      join(folder, 'flaky.test.mjs'),
      `import { expect, test } from '${root}node_modules/vitest/dist/index.js'
let tries = 0
test('works sometimes', () => { expect(++tries).toBe(2) })
test('works always', () => {})`,
    )
    await writeFile(
      join(folder, 'race.test.mjs'),
      `import { expect, test } from '${root}node_modules/vitest/dist/index.js'
let tries = 0
test('two writers at once', () => { expect(++tries).toBe(2) })`,
    )
    await writeFile(
      join(folder, 'vitest.config.mjs'),
      `import { SecondTries } from '${root}scripts/second-tries.mjs'
export default { test: { include: ['*.test.mjs'], retry: 1, runner: '${root}scripts/test-runner.mjs', reporters: ['default', new SecondTries()] } }`,
    )
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const env = { ...process.env, MUTSUMI_SECOND_TRIES: lines, NO_COLOR: '1' }
    const run = spawnSync(process.execPath, [vitest, 'run'], { cwd: folder, env, encoding: 'utf8' })
    const line = 'SECOND TRY flaky.test.mjs > works sometimes: expected 1 to be 2'
    expect(run.stdout).toContain(line)
    expect((await readFile(lines, 'utf8')).trim().split('\n')).toEqual([expect.stringContaining(line)])
    expect(run.stdout).toMatch(/Tests .*1 failed \| 2 passed/)
    expect(run.status).toBe(1)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 60_000)

test('tests of locks, kills and saves have no second try', () => {
  for (const text of [
    'a lock of a killed run',
    'two writers at once',
    'process.kill(pid, "SIGKILL")',
    'saving loses nothing',
  ])
    expect(isAboutRaces(text)).toBe(true)
  for (const title of [
    'two sessions edit at once',
    'a file that was changed meanwhile is not overwritten',
    'a torn line is set aside',
    'simultaneous questions are asked one after the other',
    'a crash leaves a session that opens',
    'SIGTERM ends the round',
    'a draft survives a hangup',
  ])
    expect([title, isAboutRaces(title)]).toEqual([title, true])
  expect(isAboutRaces('a block of a skilled clock')).toBe(false)
})
