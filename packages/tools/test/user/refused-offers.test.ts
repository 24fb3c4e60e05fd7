import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RefusedOffers } from '../../src/user/refused-offers.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('L3 a refusal covers a folder and all below it, and is kept', () => {
  const { path } = temporaryFolder({})
  const project = join(path, 'project')
  mkdirSync(join(project, 'sub'), { recursive: true })
  const config = join(path, 'config')
  const offers = new RefusedOffers(config)
  expect(offers.isRefused('rules', project)).toBe(false)
  expect(offers.refuse('rules', project)).toEqual({ kind: 'saved' })
  expect(offers.refuse('rules', project)).toEqual({ kind: 'saved' })
  const again = new RefusedOffers(config)
  expect([project, join(project, 'sub'), path].map((folder) => again.isRefused('rules', folder))).toEqual([
    true,
    true,
    false,
  ])
  expect(JSON.parse(readFileSync(join(config, 'offers.json'), 'utf8'))).toEqual({
    refused: { rules: [project] },
  })
})

test.for(['{', '[]', '{"refused":{"rules":"all"}}', '{"refused":{"rules":[1]}}'])(
  'L3 nothing is asked if the file is damaged (%s), and it is not overwritten',
  (text) => {
    const { path } = temporaryFolder({})
    writeFileSync(join(path, 'offers.json'), text)
    const offers = new RefusedOffers(path)
    expect(offers.isRefused('rules', path)).toBe(true)
    expect(offers.refuse('rules', path)).toMatchObject({ kind: 'fault' })
    expect(readFileSync(join(path, 'offers.json'), 'utf8')).toBe(text)
  },
)
