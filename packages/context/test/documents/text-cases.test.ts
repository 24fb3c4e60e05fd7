import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf, type Warning } from '@mutsumi/schema'
import { describe, expect, test } from 'vitest'
import { assemble, macrosOf } from '../support/assembly.js'
import { MemoryWorkspace, portsOf } from '../support/memory-workspace.js'
import { NamedTools, oneToolOfEach } from '../support/named-tools.js'
import { Conversation, newest, settingsWith } from '../support/session.js'

/**
 * Each folder of `cases` is a document and what becomes of it:
 *
 *     input.md           the document, at the root of the workspace
 *     files/             the workspace around it
 *     macros.json        the macros of the session, if any
 *     trusted            there where the user trusts the workspace
 *     expected.md        the document, assembled
 *     front-matter.json  its description and parameters, where the case is about them
 *     warnings.txt       what the user hears, a line each; none where the file is absent
 *
 * or a conversation, whose prompts are asked one after the other:
 *
 *     prompts/1.md       what the user types
 *     expected/1.md      the message that is sent
 *
 * A number with three digits in a name is the design document that the texts are taken from, letter by letter.
 */
const cases = join(import.meta.dirname, 'cases')
const names = readdirSync(cases).sort()
const isConversation = (name: string) => existsSync(join(cases, name, 'prompts'))

describe('text cases', () => {
  test('S2 there are cases to run', () => {
    expect(names.length).toBeGreaterThanOrEqual(15)
  })

  for (const name of names.filter((each) => !isConversation(each)))
    test(`S2 case ${name}`, async () => {
      const folder = join(cases, name)
      const { content, description, params, warnings } = await assemble(
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
      const matter = readText(folder, 'front-matter.json')
      if (matter !== '') expect({ description, params }).toEqual(JSON.parse(matter))
      expect(warnings.map(lineOf).join('')).toBe(readText(folder, 'warnings.txt'))
    })

  for (const name of names.filter(isConversation))
    test(`G1 L3 M9 case ${name}`, async () => {
      const folder = join(cases, name)
      const files = readFolder(join(folder, 'files'))
      const settings = settingsWith({ ghost: { format: 'json', placement: 'newest' } })
      const talk = new Conversation(portsOf(new MemoryWorkspace(files), documentTools(files)), { settings })
      const warnings: Warning[] = []
      for (const prompt of readdirSync(join(folder, 'prompts')).sort()) {
        const request = await talk.ask(readText(join(folder, 'prompts'), prompt))
        warnings.push(...request.warnings)
        expect(textOf(newest(request))).toBe(readFileSync(join(folder, 'expected', prompt), 'utf8'))
      }
      expect(warnings.map(lineOf).join('')).toBe(readText(folder, 'warnings.txt'))
    })
})

/** The two tools that the design documents call in their examples. */
function documentTools(files: Readonly<Record<string, string>>): NamedTools {
  return new NamedTools({
    read_file: { effect: 'read', answer: ({ uri }) => files[String(uri)] ?? { error: 'not found' } },
    ls: { effect: 'read', answer: () => '...' },
  })
}

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
