import type { AgentMessage, JsonObject } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { type NewerVersion, resultHead, stubOf, targetIn } from '../../src/kept-results/stale-read.js'
import { ToolResultCompressor } from '../../src/kept-results/tool-result-compressor.js'
import { awkwardObject, failureOf, incoming, numberedLines, resultOf } from '../support/tool-results.js'

const compressor = new ToolResultCompressor()

function readTarget(message: AgentMessage, args?: JsonObject) {
  const head = resultHead(message)
  return head && targetIn(head, message, args)
}

function stubFor(compressed: string, newer: NewerVersion, observation?: string): string {
  const head = resultHead({ role: 'tool', content: compressed, metadata: { tool_name: 'Read' } })
  if (!head) throw new Error('a Read has a head')
  return stubOf(head, { newer, observation })
}

function messageOf(tool: string, result: unknown, args?: JsonObject): AgentMessage {
  const content = compressor.compress(tool, result, args ? { args } : {})
  return { role: 'tool', content, metadata: { tool_name: tool } }
}

const reading = {
  path: 'src/a.ts',
  content: numberedLines(40),
  start_line: 1,
  end_line: 40,
  file_mtime_ms: 7,
}

describe('the file that a message is about', () => {
  test('C4 is known with the lines that were read and the time of the file', () => {
    const target = { kind: 'read', path: 'src/a.ts', start: 1, end: 40, mtime: 7 }
    expect(readTarget(messageOf('Read', resultOf(reading)))).toEqual(target)
    expect(readTarget(messageOf('Read', resultOf(reading, { status: 'partial' })))).toEqual(target)
  })

  test('C4 is known for applied edits and writes, not for dry runs', () => {
    const changed = { path: 'src/a.ts', applied: true, dry_run: false, diff_preview: '@@ -1 +1 @@\n+x' }
    expect(readTarget(messageOf('Edit', resultOf(changed)))).toEqual({ kind: 'edit', path: 'src/a.ts' })
    expect(readTarget(messageOf('MultiEdit', resultOf(changed)))).toEqual({ kind: 'edit', path: 'src/a.ts' })
    expect(readTarget(messageOf('Write', resultOf(changed)))).toEqual({ kind: 'write', path: 'src/a.ts' })
    const dry = { ...changed, applied: false, dry_run: true }
    expect(readTarget(messageOf('Edit', resultOf(dry, { status: 'partial' })))).toBeUndefined()
  })

  test('C4 is not known for failures, other tools and stubs', () => {
    expect(
      readTarget(messageOf('Read', failureOf('NOT_FOUND', 'no', { path: 'a' }), { path: 'a' })),
    ).toBeUndefined()
    expect(readTarget(messageOf('LS', resultOf({ path: 'src', entries: [] })))).toBeUndefined()
    const stub = stubFor(compressor.compress('Read', resultOf(reading)), { what: 'edited', round: 2 }, 'ab')
    const metadata = { tool_name: 'Read' }
    expect(readTarget({ role: 'tool', content: stub, metadata })).toBeUndefined()
    expect(readTarget({ role: 'tool', content: 'no JSON', metadata })).toBeUndefined()
  })

  test('C4 is taken from the call if the result does not name it', () => {
    const message: AgentMessage = { role: 'tool', content: '"1\\ta"', metadata: { tool_name: 'Read' } }
    expect(readTarget(message, { path: 'a.ts' })).toEqual({ kind: 'read', path: 'a.ts' })
  })

  test('C4 no content can say that it is about another file', () => {
    const lies = ['","path":"evil', ',"content":"x","path":"evil"}}', '\\","content":"', '\\\\","x":"']
    for (const lie of lies) {
      const message = messageOf('Read', resultOf({ ...reading, path: `a${lie}`, content: `1\t${lie}` }))
      expect(readTarget(message)).toEqual({ kind: 'read', path: `a${lie}`, start: 1, end: 40, mtime: 7 })
    }
    const last = '{"status":"success","data":{"x":1,"content":"a","path":"b.ts"}}'
    expect(readTarget({ role: 'tool', content: last, metadata: { tool_name: 'Read' } })?.path).toBe('b.ts')
  })

  test('C4 is the same whether all of a result is read or only its head', () => {
    fc.assert(
      fc.property(fc.constantFrom('Read', 'Edit', 'Write'), awkwardObject, (tool, data) => {
        const message = messageOf(tool, resultOf({ ...data, path: 'a"b.ts' }))
        const spaced = JSON.stringify(JSON.parse(String(message.content)), null, 1)
        expect(readTarget(message)).toEqual(readTarget({ ...message, content: spaced }))
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('a stub', () => {
  test('C4 names the newer result and where the older one is', () => {
    const compressed = compressor.compress('Read', resultOf(reading))
    expect(stubFor(compressed, { what: 'read', round: 12, step: 3 }, '7c156582cc83b01a')).toBe(
      '{"status":"success","data":{"path":"src/a.ts","stale":"read again in round 12, step 3","recall":"7c156582"}}',
    )
    expect(stubFor(compressed, { what: 'edited', round: 4 })).toBe(
      '{"status":"success","data":{"path":"src/a.ts","stale":"edited in round 4"}}',
    )
    expect(stubFor(compressed, { what: 'written', round: 4, step: 1 })).toContain(
      'written in round 4, step 1',
    )
  })

  test('C4 stays the same through every compression', () => {
    const compressed = compressor.compress('Read', resultOf(reading))
    const stub = stubFor(compressed, { what: 'read', round: 12, step: 3 }, '7c156582cc83b01a')
    expect(compressor.compress('Read', stub)).toBe(stub)
    expect(compressor.compress('Read', stub, { strength: 'strong' })).toBe(stub)
  })

  test('C4 is valid JSON whatever was read, and only a Read has one', () => {
    fc.assert(
      fc.property(incoming, (result) => {
        const compressed = compressor.compress('Read', result)
        const stub = stubFor(compressed, { what: 'read', round: 1 }, 'ab')
        expect(() => JSON.parse(stub)).not.toThrow()
        const metadata = { tool_name: 'Bash' }
        expect(resultHead({ role: 'tool', content: compressed, metadata })).toBeUndefined()
      }),
      { numRuns: runs(300) },
    )
  })
})
