import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ToolResultCompressor } from '../../src/kept-results/tool-result-compressor.js'

/**
 * Each folder of `compress-cases` is a tool, and each folder in it a result of that tool and what history keeps of it:
 *
 *     input.json     the whole result, as the tool gave it
 *     expected.json  what is kept, byte for byte
 *     strong.json    what is kept where room is short
 */
const cases = join(import.meta.dirname, 'compress-cases')
const tools = readdirSync(cases).sort()
const compressor = new ToolResultCompressor()

describe('results as history keeps them, by example', () => {
  test('C2 every tool that has a rule has a case', () => {
    expect(tools).toEqual(
      expect.arrayContaining(['Bash', 'Edit', 'Glob', 'Grep', 'LS', 'MultiEdit', 'Read', 'Skill', 'Task']),
    )
    expect(tools).toEqual(expect.arrayContaining(['TodoWrite', 'Write', 'Recall', 'mcp__github__search']))
  })

  for (const tool of tools)
    for (const name of readdirSync(join(cases, tool)).sort())
      test(`C2 ${tool}: ${name}`, () => {
        const read = (file: string) => readFileSync(join(cases, tool, name, file), 'utf8')
        const result: unknown = JSON.parse(read('input.json'))
        expect(compressor.compress(tool, result)).toBe(read('expected.json'))
        expect(compressor.compress(tool, result, { strength: 'strong' })).toBe(read('strong.json'))
        expect(['data', 'error', 'status']).toEqual(
          expect.arrayContaining(Object.keys(JSON.parse(read('expected.json')))),
        )
      })
})
