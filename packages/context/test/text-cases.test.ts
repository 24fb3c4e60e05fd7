import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Warning } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { assemble, macrosOf } from './support/assembly.js'
import { oneToolOfEach } from './support/named-tools.js'

/**
 * Each folder of `cases` is a document and what becomes of it:
 *
 *     input.md      the document, at the root of the workspace
 *     files/        the workspace around it
 *     macros.json   the macros of the session, if any
 *     trusted       there where the user trusts the workspace
 *     expected.md   the document, assembled
 *     warnings.txt  what the user hears, a line each; none where the file is absent
 */
const cases = join(import.meta.dirname, 'cases')
const names = readdirSync(cases).sort()

describe('text cases', () => {
  test('S2 there are cases to run', () => {
    expect(names.length).toBeGreaterThanOrEqual(15)
  })

  for (const name of names)
    test(`S2 case ${name}`, async () => {
      const folder = join(cases, name)
      const { content, warnings } = await assemble(
        readText(folder, 'input.md'),
        readFolder(join(folder, 'files')),
        {
          source: 'input.md',
          macros: macrosOf(JSON.parse(readText(folder, 'macros.json') || '{}') as Record<string, string>),
          trusted: existsSync(join(folder, 'trusted')),
          tools: oneToolOfEach(),
        },
      )
      expect(content).toBe(readFileSync(join(folder, 'expected.md'), 'utf8'))
      expect(warnings.map(lineOf).join('')).toBe(readText(folder, 'warnings.txt'))
    })
})

function lineOf({ source, line, column, code, message }: Warning): string {
  return `${source}:${line}:${column} ${code}: ${message}\n`
}

function readText(folder: string, name: string): string {
  const path = join(folder, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function readFolder(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {}
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]))
}
