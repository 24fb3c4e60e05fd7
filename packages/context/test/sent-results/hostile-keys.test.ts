import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { ToolResultCompressor } from '../../src/kept-results/tool-result-compressor.js'
import { renderResult } from '../../src/sent-results/sent-results.js'
import { toolNames } from '../support/tool-results.js'

/** Keys that every object already has a meaning for, and those that our renderers read. */
const key = fc.constantFrom(
  ...[
    'toString',
    'valueOf',
    '__proto__',
    'constructor',
    'Symbol.toPrimitive',
    'toJSON',
    'hasOwnProperty',
    'length',
  ],
  ...['matches', 'entries', 'paths', 'path', 'file', 'line', 'text', 'before', 'after', 'content', 'command'],
  ...[
    'stdout',
    'total',
    'type',
    'diff',
    'todos',
    'status',
    'modified_externally',
    'start_line',
    'lines',
    'name',
  ],
)
const leaf = fc.constantFrom<unknown>('a', '', 1, -1, 0.5, true, false, null)
const { value } = fc.letrec<{ value: unknown; object: unknown; list: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie('object'), tie('list')),
  // Made from JSON, so that `__proto__` is an own key like any other.
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 5 })
    .map(
      (pairs) => JSON.parse(`{${pairs.map(([k, v]) => `"${k}":${JSON.stringify(v)}`).join()}}`) as unknown,
    ),
  list: fc.array(tie('value'), { maxLength: 3 }),
}))

const compressor = new ToolResultCompressor()

test('L3 a result whose keys are names of methods is shown and kept like any other', () => {
  fc.assert(
    fc.property(fc.constantFrom(...toolNames, 'mcp__a__b'), value, (tool, data) => {
      for (const result of [{ status: 'success', data }, data]) {
        const content = JSON.stringify(result)
        for (const form of ['text', 'text-unnumbered', 'json'])
          expect(typeof renderResult(form, { tool, content })).toBe('string')
        for (const strength of ['normal', 'strong'] as const) {
          const kept = compressor.compress(tool, content, { strength })
          expect(kept.length).toBeLessThanOrEqual(Math.max(content.length, 2))
          expect(typeof renderResult('text', { tool, content: kept })).toBe('string')
        }
        expect(typeof compressor.observe(tool, content)).toBe('string')
      }
    }),
    { numRuns: runs(400) },
  )
})

test('L3 lines of Grep that are objects with their own toString are left out', () => {
  const hostile = { toString: 1, valueOf: 1 }
  const data = { matches: [{ file: 'a.ts', line: 1, text: hostile, before: [hostile], after: [[hostile]] }] }
  const content = JSON.stringify({ status: 'success', data })
  expect(renderResult('text', { tool: 'Grep', content })).toContain('a.ts')
  const read = JSON.stringify({ status: 'success', data: { path: hostile, modified_externally: true } })
  expect(renderResult('text', { tool: 'Read', content: read })).toContain('Note: it was modified externally.')
})
