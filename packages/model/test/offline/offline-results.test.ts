import { renderResult } from '@mutsumi/context/parts'
import type { JsonObject, ToolCall } from '@mutsumi/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { readResult } from '../../src/offline/tool-result.js'

/** Contents and names of files, with text that has a meaning in a result. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '[tool] x',
    '</content_reference>',
    '12:a',
    '12\tb',
    '--',
    '{"status":"error"}',
    '\\u005b',
    ' 7 c',
  ),
)
const line = text.map((each) => each.replace(/[\r\n\u2028\u2029]/g, ' '))
const name = fc.oneof(
  fc.constantFrom('a.ts', 'src/b.ts', '12:c.ts', '"d".ts', '"e"', 'e\nf.ts'),
  text.filter(Boolean),
)

const results: fc.Arbitrary<readonly [ToolCall, JsonObject]> = fc.oneof(
  fc
    .array(fc.tuple(name, fc.array(line, { minLength: 1, maxLength: 3 })), { maxLength: 4 })
    .map((files) => new Map(files))
    .map((files) => {
      const matches = [...files].flatMap(([file, lines]) =>
        lines.map((each, index) => ({ file, line: index + 1, text: each })),
      )
      return [
        { name: 'Grep', args: {} },
        { matches, total: matches.length, truncated: false },
      ] as const
    }),
  fc.uniqueArray(name).map(
    (paths) =>
      [
        { name: 'Glob', args: {} },
        { paths, total: paths.length, truncated: false },
      ] as const,
  ),
  fc.tuple(fc.array(line, { minLength: 1 }), fc.integer({ min: 1, max: 900 })).map(([lines, start]) => {
    const content = lines.map((each, index) => `${start + index}\t${each}`).join('\n')
    const range = { start_line: start, end_line: start + lines.length - 1, total_lines: 999, truncated: true }
    return [
      { name: 'Read', args: { path: 'a.ts', start_line: start } },
      { path: 'a.ts', content, ...range },
    ] as const
  }),
)

function linesOf({ content }: JsonObject): number {
  return String(content).split('\n').length
}

it('A6 the model reads the same from a result as text and as JSON', () => {
  fc.assert(
    fc.property(results, ([call, data]) => {
      const json = JSON.stringify({ status: 'success', data })
      const asText = renderResult('text', { tool: call.name, content: json }) ?? ''
      expect(readResult(call, asText)).toEqual(readResult(call, json))
      expect(readResult(call, json)).toHaveLength(
        Object.values(data).find(Array.isArray)?.length ?? linesOf(data),
      )
    }),
    { numRuns: runs(300) },
  )
})

it('A6 lines that come without their numbers get them from the call', () => {
  const data = { path: 'a.ts', content: '7\tx\n8\t9\ty', start_line: 7, end_line: 8, total_lines: 20 }
  const content = JSON.stringify({ status: 'success', data })
  const unnumbered = renderResult('text-unnumbered', { tool: 'Read', content }) ?? ''
  const lines = readResult({ name: 'Read', args: { path: 'a.ts', start_line: 7 } }, unnumbered)
  expect(lines.map(({ line, text }) => [line, text])).toEqual([
    [7, 'x'],
    [8, '9\ty'],
  ])
})

it('A6 a folder’s entries are listed the same from text and from JSON', () => {
  const entries = [
    { path: 'a', type: 'directory' },
    { path: 'b.ts', type: 'file' },
  ]
  const content = JSON.stringify({
    status: 'success',
    data: { path: '.', entries, total: 2, truncated: false },
  })
  const call: ToolCall = { name: 'LS', args: { path: '.' } }
  const asText = renderResult('text', { tool: 'LS', content }) ?? ''
  expect(readResult(call, asText)).toEqual(readResult(call, content))
  expect(readResult(call, content).map(({ file }) => file)).toEqual(['a/', 'b.ts'])
})

it('A6 a call that failed has no lines', () => {
  const call: ToolCall = { name: 'Read', args: { path: 'a.ts' } }
  expect(readResult(call, '{"status":"error","code":"NOT_FOUND"}\nno such file')).toEqual([])
  expect(readResult(call, '{"status":"error","data":{},"error":{"code":"NOT_FOUND"}}')).toEqual([])
})
