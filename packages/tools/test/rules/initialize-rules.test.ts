import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { initializeRules } from '../../src/rules/initialize-rules.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const rules = { 'style.md': '# Style\n', 'safety.md': '# Safety\n' }

test('L3 makes the folder and writes the rules', () => {
  const folder = temporaryFolder()
  expect(initializeRules(folder.path, rules)).toEqual({
    folder: folder.at('.mutsumi/rules'),
    created: ['safety.md', 'style.md'],
    kept: [],
  })
  expect(readFileSync(folder.at('.mutsumi/rules/style.md'), 'utf8')).toBe('# Style\n')
})

test('L3 never overwrites, and adds only what is absent', () => {
  const folder = temporaryFolder({ '.mutsumi/rules/style.md': 'mine', '.mutsumi/config.json': '{}' })
  expect(initializeRules(folder.path, rules)).toMatchObject({ created: ['safety.md'], kept: ['style.md'] })
  expect(initializeRules(folder.path, rules)).toMatchObject({ created: [], kept: ['safety.md', 'style.md'] })
  expect(readFileSync(folder.at('.mutsumi/rules/style.md'), 'utf8')).toBe('mine')
})

test('L3 does not write through a link with a rule’s name', () => {
  const folder = temporaryFolder({ '.mutsumi/rules/mine.md': '' })
  const outside = temporaryFolder()
  folder.link('.mutsumi/rules/style.md', outside.at('new.md'))
  expect(initializeRules(folder.path, rules)).toMatchObject({ kept: ['style.md'] })
  expect(existsSync(outside.at('new.md'))).toBe(false)
})

test('L3 refuses a link or a file instead of a folder', () => {
  const outside = temporaryFolder({ 'rules/x': '' })
  const linked = temporaryFolder()
  linked.link('.mutsumi', outside.path)
  expect(() => initializeRules(linked.path, rules)).toThrow(`${linked.at('.mutsumi')} is a link`)
  const deeper = temporaryFolder()
  mkdirSync(deeper.at('.mutsumi'))
  deeper.link('.mutsumi/rules', outside.at('rules'))
  expect(() => initializeRules(deeper.path, rules)).toThrow(`${deeper.at('.mutsumi/rules')} is a link`)
  const file = temporaryFolder({ '.mutsumi': '' })
  expect(() => initializeRules(file.path, rules)).toThrow(`${file.at('.mutsumi')} is not a folder`)
  expect(readdirSync(outside.at('rules'))).toEqual(['x'])
})

test('L3 accepts only plain file names, and checks all before it writes any', () => {
  for (const name of ['../evil.md', 'sub/evil.md', 'a\\b.md', '..', '.', '', 'a\0.md']) {
    const folder = temporaryFolder()
    expect(() => initializeRules(folder.path, { 'a.md': '', [name]: '' })).toThrow('is not a file name')
    expect(existsSync(folder.at('.mutsumi'))).toBe(false)
  }
})
