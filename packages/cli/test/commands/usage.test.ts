import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionsFolder } from '@mutsumi/session/node'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/command.js'
import { run, runJson } from '../support/command-here.js'
import { addToolRound, workspaceWith, writer } from '../support/stored-session.js'

/** A session whose last round has two requests to test/model. */
async function used() {
  const folder = await workspaceWith({ rounds: 1 })
  const file = await writer(join(sessionsFolder(folder), 'talk.mtm'))
  await addToolRound(file, 'What does a.ts export?')
  await file.close()
  return folder
}

function configWith(modelPrices: object) {
  const config = makeFolder()
  writeFileSync(join(config, 'config.json'), JSON.stringify({ modelPrices }))
  return { env: { MUTSUMI_CONFIG_DIR: config } }
}

describe('mutsumi usage', () => {
  test('H1 a program gets the tokens per round and in total, and no unknown price', async () => {
    const folder = await used()
    const report = await runJson(folder, ['usage', '--session', 'talk'])
    const last = report.rounds.at(-1)
    expect(last).toMatchObject({ round: 2, requests: 2 })
    expect(last.input).toBeGreaterThanOrEqual(1300)
    expect(report.total.requests).toBeGreaterThanOrEqual(2)
    expect(report.total).not.toHaveProperty('cost')
  })

  test('H1 prices in the table count from their dates on, and only for their models', async () => {
    const folder = await used()
    const price = (from: string, input: number) => ({ from, input, output: 0 })
    const table = { 'test/model': [price('2001-01-01', 2), price('2999-01-01', 9)], 'other/model': [] }
    const { total } = await runJson(folder, ['usage', '--session', 'talk'], configWith(table))
    expect(total.cost).toBeCloseTo((total.input * 2) / 1e6, 9)
    const later = { 'test/model': [price('2999-01-01', 9)] }
    const { total: unknown } = await runJson(folder, ['usage', '--session', 'talk'], configWith(later))
    expect(unknown).not.toHaveProperty('cost')
  })

  test('H1 an invalid table is an error that names the file and the model', async () => {
    const folder = await used()
    const { code, stderr } = await run(folder, ['usage'], configWith({ 'test/model': [{ input: 1 }] }))
    expect(code).toBe(2)
    expect(stderr).toMatch(/config\.json: modelPrices: test\/model: must be a list of/)
  })

  test('H1 people see one line per round, a bar, and a total', async () => {
    const folder = await used()
    const { stdout } = await run(folder, ['usage', '-c', 'cost.input=3', '-c', 'cost.output=15'])
    expect(stdout).toMatch(/round +requests +sent +cached +written +output +cost +saved/)
    expect(stdout).toMatch(/[█░]{3,}/)
    expect(stdout).toMatch(/^\d+ requests · [\d ]+ tokens.* · cost [\d.]+$/m)
  })

  test('H1 requests that the server did not count are not reported as 0 tokens, and nothing negative is saved', async () => {
    const folder = await used()
    const path = join(sessionsFolder(folder), 'talk.mtm')
    const uncounted = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => !line.includes('"type":"usage"'))
    writeFileSync(path, uncounted.join('\n'))
    const { stdout } = await run(folder, ['usage'])
    expect(stdout).toMatch(/^ *2 +2 +not reported +\?/m)
    expect(stdout).toMatch(/^2 requests · the server reported no tokens$/m)
    expect(stdout).not.toMatch(/-\d/)
    const { total } = await runJson(folder, ['usage'])
    expect(total).not.toHaveProperty('saved')
  })

  test('H1 the usage of all sessions of a workspace is added up', async () => {
    const folder = await used()
    const { sessions } = await runJson(folder, ['usage', '--all'])
    expect(sessions).toHaveLength(1)
    const { stdout } = await run(folder, ['usage', '--all'])
    expect(stdout).toMatch(/ all$/m)
  })
})
