import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { userPrices } from '../../src/agent/user-prices.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mutsumi-prices-'))
  vi.stubEnv('MUTSUMI_CONFIG_DIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const usage = { input: 1_000_000, output: 1_000_000 }
const asked = (model: string) => ({ model, at: '2026-03-01T09:00:00.000Z' })

test('P7 the offline model has no price, and a price that is set now is not that of an earlier round', () => {
  const cost = [
    { key: 'cost.input', value: '2', label: 'mutsumi.cost.input' },
    { key: 'cost.output', value: '3', label: 'mutsumi.cost.output' },
  ]
  const { now, recorded } = userPrices(folder, cost)
  expect(now(usage, asked('a/b'))).toBe(5)
  expect(now(usage, asked('offline'))).toBeUndefined()
  expect(recorded(usage, asked('a/b'))).toBeUndefined()
})

test('P7 an earlier round is priced by the model and the day that it records', () => {
  const modelPrices = { 'a/b': [{ from: '2026-01-01', input: 4, output: 6 }] }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ modelPrices }))
  const { now, recorded } = userPrices(folder, [])
  for (const price of [now, recorded]) {
    expect(price(usage, asked('a/b'))).toBe(10)
    expect(price(usage, asked('a/other'))).toBeUndefined()
    expect(price(usage, { ...asked('a/b'), at: '2025-12-31T09:00:00.000Z' })).toBeUndefined()
  }
})
