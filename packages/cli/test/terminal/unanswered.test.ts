import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { problemsOfEvents, problemsOfRun } from '../support/print-schemas.js'
import { finish, scripted } from '../support/scripted.js'

/** A disk whose `mkdir` never answers: nothing is under way then, and nothing keeps the process alive. */
function silentDisk(): Readonly<Record<string, string>> {
  const folder = makeFolder({
    'silent.cjs': `require('node:fs/promises').mkdir = () => new Promise(() => undefined)`,
  })
  return { NODE_OPTIONS: `--require ${join(folder, 'silent.cjs')}` }
}

test('H1 a run whose answer never comes fails with a message, and never ends as a success', async () => {
  const { folder, flags } = scripted([finish('ok')])
  const result = await run(folder, ['-p', 'x', ...flags], { env: silentDisk() })
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain('waited for an answer that can no longer come')
})

test('H1 programs get their object even if the answer never comes', async () => {
  const { folder, flags } = scripted([finish('ok')])
  const result = await run(folder, ['-p', 'x', '--json', ...flags], { env: silentDisk() })
  expect(result.code).toBe(1)
  expect(problemsOfRun(result.stdout)).toEqual([])
  expect(JSON.parse(result.stdout)).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('can no longer come'),
  })
})

test('H1 programs get the end of the events even if the answer never comes', async () => {
  const { folder, flags } = scripted([finish('ok')])
  const result = await run(folder, ['-p', 'x', '--stream-json', ...flags], { env: silentDisk() })
  expect(result.code).toBe(1)
  expect(problemsOfEvents(result.stdout)).toEqual([])
  expect(result.stdout).toContain('"status":"failed"')
})

test('H1 every other command fails too if its answer never comes', async () => {
  const { folder, flags } = scripted([finish('ok')])
  await run(folder, ['-p', 'x', '--session', 'a.mtm', ...flags])
  const result = await run(folder, ['sessions', 'delete', 'a.mtm'], { env: silentDisk() })
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 1, stdout: '' })
  expect(result.stderr).toContain('can no longer come')
})
