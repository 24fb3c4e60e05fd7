import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { ToolResultCompressor } from '../../src/kept-results/tool-result-compressor.js'
import {
  awkwardObject,
  awkwardText,
  failureOf,
  incoming,
  resultOf,
  toolNames,
} from '../support/tool-results.js'

const compressor = new ToolResultCompressor()
const tool = fc.constantFrom(...toolNames)
const strength = fc.constantFrom('normal' as const, 'strong' as const)

/** The text whose length counts: the result's JSON, or the result itself if it is JSON. */
function inputOf(result: unknown): string {
  if (typeof result === 'string' && isJson(result)) return result
  try {
    return JSON.stringify(result) ?? 'null'
  } catch {
    return ' '.repeat(100)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('whatever a tool returns', () => {
  test('C3 the kept form is JSON and never longer than the result', () => {
    fc.assert(
      fc.property(tool, incoming, awkwardObject, strength, (name, result, args, strength) => {
        const kept = compressor.compress(name, result, { args, strength })
        expect(isJson(kept)).toBe(true)
        expect(kept.length).toBeLessThanOrEqual(inputOf(result).length)
      }),
      { numRuns: runs(500) },
    )
  })

  test('C3 a compressed result stays as it is', () => {
    fc.assert(
      fc.property(tool, incoming, awkwardObject, strength, (name, result, args, strength) => {
        const once = compressor.compress(name, result, { args, strength })
        expect(compressor.compress(name, once, { args, strength })).toBe(once)
        expect(compressor.compress(name, once, { strength })).toBe(once)
      }),
      { numRuns: runs(500) },
    )
  })

  test('C3 strong compression gives the same result with and without a normal one before it', () => {
    fc.assert(
      fc.property(tool, incoming, awkwardObject, (name, result, args) => {
        const strong = compressor.compress(name, result, { args, strength: 'strong' })
        const normal = compressor.compress(name, result, { args })
        expect(compressor.compress(name, normal, { args, strength: 'strong' })).toBe(strong)
        expect(compressor.compress(name, strong)).toBe(strong)
        expect(strong.length).toBeLessThanOrEqual(normal.length)
      }),
      { numRuns: runs(500) },
    )
  })

  test('C1 the status and the whole error stay, at any strength', () => {
    const failure = fc.record({
      code: fc.constantFrom('NOT_FOUND', 'TIMEOUT', 'CONFLICT'),
      message: awkwardText,
    })
    fc.assert(
      fc.property(tool, awkwardObject, failure, strength, (name, data, error, strength) => {
        const result = { ...resultOf(data, { status: 'error', text: error.message, args: data }), error }
        const kept = JSON.parse(compressor.compress(name, result, { strength }))
        expect(kept).toMatchObject({ status: 'error', error })
        for (const status of ['success', 'partial']) {
          const done = compressor.compress(name, resultOf(data, { status }), { strength })
          expect(JSON.parse(done).status).toBe(status)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test('C3 the marks of a result stay, at any strength', () => {
    const marks = fc.record(
      {
        truncated: fc.boolean(),
        applied: fc.boolean(),
        fallback: fc.boolean(),
        modified_externally: fc.boolean(),
        dry_run: fc.boolean(),
        timed_out: fc.boolean(),
        signal: fc.constantFrom('SIGKILL', 'SIGTERM'),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(tool, awkwardObject, marks, strength, (name, others, marks, strength) => {
        const kept = compressor.compress(name, resultOf({ ...others, ...marks }), { strength })
        expect(JSON.parse(kept).data).toMatchObject(marks)
      }),
      { numRuns: runs(500) },
    )
  })

  test('C3 no character is cut in half, wherever the cut is', () => {
    for (const name of toolNames)
      for (let shift = 0; shift < 4; shift++) {
        const text = 'x'.repeat(shift) + '😀界\n'.repeat(30_000)
        const data = {
          content: text,
          diff_preview: text,
          output: text,
          stderr: text,
          recap: text,
          report: text,
        }
        const error = { code: 'TIMEOUT', message: text }
        const result = {
          ...resultOf(data, { text, args: { path: text, command: text, pattern: text } }),
          error,
        }
        for (const given of [result, text]) {
          const kept = compressor.compress(name, given)
          expect(kept.length).toBeLessThan(JSON.stringify(given).length)
          expect(kept).not.toMatch(/\\ud[89a-f]/i)
        }
      }
  })
})

describe('dropped and copied fields', () => {
  const args = { path: 'a.ts', pattern: 'TODO', command: 'make', name: 'release' }

  test('C1 text, stats and context are dropped; path, pattern and command are copied from the call', () => {
    const lifted = {
      LS: 'path',
      Glob: 'pattern',
      Grep: 'pattern',
      Read: 'path',
      Edit: 'path',
      Bash: 'command',
    }
    for (const [name, field] of Object.entries({
      ...lifted,
      MultiEdit: 'path',
      Write: 'path',
      Skill: 'name',
    })) {
      const value = args[field as keyof typeof args]
      const kept = JSON.parse(compressor.compress(name, resultOf({ truncated: false }, { text: 'a', args })))
      expect(Object.keys(kept)).toEqual(['status', 'data'])
      expect([name, kept.data[field]]).toEqual([name, value])
      const stats = { time_ms: 3, files_looked_at: 1_234_567, bytes_read: 12_345_678_901 }
      const bare = { status: 'success', data: { truncated: false }, text: 'a', stats }
      const called = JSON.parse(compressor.compress(name, bare, { args: { [field]: value } }))
      expect([name, called.data[field]]).toEqual([name, value])
    }
  })

  test('C1 the result’s own data counts, not the arguments of the call', () => {
    const result = resultOf({ path: 'src/a.ts', content: '' }, { args: { path: './src/../src/a.ts' } })
    expect(JSON.parse(compressor.compress('Read', result)).data.path).toBe('src/a.ts')
  })

  test('C1 the arguments are left out if they would make a short result longer', () => {
    const result = { status: 'success', data: { content: 'a' }, text: 'a' }
    const kept = compressor.compress('Read', result, { args: { path: 'packages/context/src/index.ts' } })
    expect(kept).toBe('{"status":"success","data":{"content":"a"}}')
    expect(compressor.compress('Read', kept)).toBe(kept)
  })

  test('C1 the time of a file that was read stays', () => {
    const result = resultOf({ path: 'a.ts', content: '    1\ta', file_mtime_ms: 1_800_000_000_000 })
    expect(JSON.parse(compressor.compress('Read', result)).data.file_mtime_ms).toBe(1_800_000_000_000)
  })

  test('C1 the message of an error stays whole, however long it is', () => {
    const message = `begin ${'界'.repeat(20_000)} end`
    for (const strength of ['normal', 'strong'] as const) {
      const kept = compressor.compress('Read', failureOf('INTERNAL_ERROR', message), { strength })
      expect(JSON.parse(kept).error).toEqual({ code: 'INTERNAL_ERROR', message })
    }
  })

  test('C2 strong compression keeps no content', () => {
    const secret = 'what was found'
    const data = {
      ...{ entries: [{ path: secret, type: 'file' }], paths: [secret], matches: [{ file: secret, line: 1 }] },
      ...{
        content: secret,
        diff_preview: secret,
        output: secret,
        stdout: secret,
        stderr: secret,
        report: secret,
      },
      ...{ head: secret, tail: secret, text: secret, path: 'a.ts', exit_code: 3 },
    }
    for (const name of toolNames) {
      const kept = compressor.compress(name, resultOf(data, { text: secret, args }), { strength: 'strong' })
      if (name !== 'TodoWrite') expect([name, kept]).not.toEqual([name, expect.stringContaining(secret)])
    }
  })

  test('C2 the default rule uses the text if data has no content, as with MCP', () => {
    const result = resultOf({ server: 'github', tool: 'search' }, { text: 'two issues' })
    expect(JSON.parse(compressor.compress('mcp__github__search', result)).data).toEqual({
      server: 'github',
      tool: 'search',
      content: 'two issues',
    })
  })
})

describe('texts that are not results', () => {
  const same: readonly (readonly [unknown, string])[] = [
    [undefined, 'null'],
    [null, 'null'],
    [5, '5'],
    ['', '""'],
    ['plain text', '"plain text"'],
    ['{"status":', '"{\\"status\\":"'],
    ['1e3', '1e3'],
    [[1, 2], '[1,2]'],
    [{ status: 'success', rows: 3 }, '{"status":"success","rows":3}'],
    [{ status: 7, data: {} }, '{"status":7,"data":{}}'],
    ['{"__proto__":{"status":"success"}}', '{"__proto__":{"status":"success"}}'],
    ['\ud83d', '"\\ud83d"'],
    [() => 1, 'null'],
  ]

  test('C3 stay as they are if they are short', () => {
    for (const name of toolNames)
      for (const [result, kept] of same)
        expect([name, compressor.compress(name, result)]).toEqual([name, kept])
  })

  test('C3 are described if JSON cannot express them', () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const throws = {
      get status() {
        throw new Error('no')
      },
    }
    for (const result of [cycle, throws, 5n, { data: 5n }])
      expect(compressor.compress('Read', result)).toBe('"(a result that cannot be written as JSON)"')
  })

  test('C3 fields of the wrong type are left out', () => {
    const nonsense = [null, {}, [5], { content: 5 }]
    for (const each of nonsense) {
      const data = { path: each, content: each, entries: [each, each], matches: each, exit_code: each }
      const kept = JSON.parse(compressor.compress('LS', resultOf(data, { args: { path: 'src' } })))
      expect(kept.data.entries).toEqual([])
      expect(JSON.parse(compressor.compress('Read', resultOf(data, { text: 'a' }))).data).toEqual({
        content: 'a',
      })
      expect(JSON.parse(compressor.compress('Bash', { ...resultOf({}), data: each })).status).toBe('success')
    }
  })

  test('C2 a text that a known tool returned is cut by its rule', () => {
    const listing = Array.from({ length: 40 }, (_, index) => `src/file-${index}.ts`).join('\n')
    const kept = JSON.parse(compressor.compress('Glob', listing, { args: { pattern: '**/*.ts' } }))
    expect(kept.data).toMatchObject({ pattern: '**/*.ts', total: 40 })
    expect(kept.data.paths).toHaveLength(10)
  })
})
