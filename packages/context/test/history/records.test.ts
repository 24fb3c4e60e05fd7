import type { AgentMessage, JsonObject } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { finalAnswer, recordsOf } from '../../src/history/records.js'
import { roundsOf } from '../../src/history/rounds.js'
import { headLine } from '../../src/text/short-text.js'
import { answer, call, result, round, rounds, step } from '../support/histories.js'

/** The records of one round with these steps. */
function recorded(...steps: readonly AgentMessage[]) {
  return recordsOf(roundsOf([round('do it', ...steps)]))
}

/** A call and its result. */
function done(name: string, args: JsonObject, data: JsonObject = {}): readonly AgentMessage[] {
  return [step('', call('1', name, args)), result('1', data, name)]
}

function failure(callId: string, tool_name: string, code: string, message: string): AgentMessage {
  const content = JSON.stringify({ status: 'error', error: { code, message } })
  return { role: 'tool', content, metadata: { call_id: callId, tool_name } }
}

function said(content: string): AgentMessage {
  return { role: 'assistant', content }
}

describe('files', () => {
  test('K4 files are recorded with each kind of access and how often', () => {
    const { files } = recorded(
      ...done('Read', { path: 'a.ts' }, { path: 'a.ts' }),
      ...done('Read', { path: './a.ts' }),
      ...done('Edit', { path: 'a.ts' }, { path: 'a.ts', applied: true, changed_lines: '1' }),
      ...done('MultiEdit', { path: 'a.ts' }, { path: 'a.ts', applied: true, changed_lines: '3-4, 9' }),
      ...done('Write', { path: 'b.ts' }, { path: 'b.ts', applied: true, created: true }),
      ...done('Write', { path: 'b.ts' }, { path: 'b.ts', applied: true, created: false }),
    )
    expect(files.entries).toEqual([
      { path: 'a.ts', read: 2, created: 0, edited: 2, interrupted: 0, lines: '3-4, 9' },
      { path: 'b.ts', read: 0, created: 1, edited: 1, interrupted: 0, lines: '' },
    ])
  })

  test('K4 the changed lines of a complete result are read from its diff', () => {
    const diff_preview = '--- a/a.ts\n+++ b/a.ts\n@@ -4,3 +4,4 @@\n x\n-y\n+z\n+z\n w'
    const { files } = recorded(...done('Edit', { path: 'a.ts' }, { applied: true, diff_preview }))
    expect(files.entries[0]?.lines).toBe('5-6')
  })

  test('K4 calls that were refused, failed or only dry runs changed no file', () => {
    const { files, errors } = recorded(
      step('', call('1', 'Edit', { path: 'a.ts' }), call('2', 'Write', { path: 'b.ts', dry_run: true })),
      failure('1', 'Edit', 'INVALID_PARAM', 'a.ts: read it first'),
      result('2', { path: 'b.ts', applied: false }, 'Write'),
    )
    expect(files.entries).toEqual([])
    expect(errors.entries).toEqual([
      { tool: 'Edit', code: 'INVALID_PARAM', message: 'a.ts: read it first', count: 1 },
    ])
  })

  test('K4 a change without a result is listed as interrupted, and a read without one is not listed', () => {
    const { files } = recorded(
      step('', call('1', 'Edit', { path: 'a.ts' }), call('2', 'Read', { path: 'b.ts' })),
    )
    expect(files.entries).toMatchObject([{ path: 'a.ts', edited: 0, interrupted: 1 }])
  })

  test('K4 an action in a reply that was cut off or not understood counts as not started', () => {
    const text = 'Action: Write[{"path":"a.ts","content":"x"}]'
    const asked = (metadata: JsonObject): AgentMessage => ({ role: 'assistant', content: text, metadata })
    expect(recorded(asked({})).files.entries).toMatchObject([{ path: 'a.ts', interrupted: 1 }])
    for (const not_run of ['cut', 'malformed']) expect(recorded(asked({ not_run })).files.entries).toEqual([])
  })

  test('K4 the result of an interrupted call is not an error', () => {
    const interrupted = failure('1', 'Write', 'EXECUTION_ERROR', 'interrupted')
    const { files, errors } = recorded(step('', call('1', 'Write', { path: 'a.ts' })), {
      ...interrupted,
      metadata: { ...interrupted.metadata, interrupted: true },
    })
    expect(files.entries).toMatchObject([{ path: 'a.ts', interrupted: 1 }])
    expect(errors.entries).toEqual([])
  })

  test('K4 a result without its call is still recorded', () => {
    const { files } = recorded(result('nobody', { path: 'a.ts', applied: true }, 'Edit'))
    expect(files.entries).toMatchObject([{ path: 'a.ts', edited: 1 }])
  })

  test('K4 paths are shown on one line with nothing hidden in them', () => {
    const { files } = recorded(...done('Read', { path: 'a\u202e\n# b.ts' }))
    expect(files.entries[0]?.path).toBe('a\\u202e # b.ts')
  })

  test('K4 lists are limited, say how many more there are, and keep the changed files', () => {
    const many = Array.from({ length: 300 }, (_, index) => done('Read', { path: `read${index}.ts` })).flat()
    const { files } = recorded(...done('Write', { path: 'made.ts' }, { created: true }), ...many)
    expect(files.entries).toHaveLength(200)
    expect(files.more).toBe(101)
    expect(files.entries[0]).toMatchObject({ path: 'made.ts', created: 1 })
    expect(files.entries.at(-1)?.path).toBe('read299.ts')
  })
})

describe('commands, errors, recaps', () => {
  test('K4 commands are recorded with their last exit code and how often they ran', () => {
    const { commands } = recorded(
      ...done('Bash', { command: 'npm test' }, { exit_code: 1 }),
      ...done('Bash', { command: 'ls' }, { exit_code: 0 }),
      ...done('Bash', { command: 'npm test' }, { exit_code: 0 }),
      step('', call('9', 'Bash', { command: 'sleep 9' })),
    )
    expect(commands.entries).toEqual([
      { command: 'ls', count: 1, exitCode: 0 },
      { command: 'npm test', count: 2, exitCode: 0 },
      { command: 'sleep 9', count: 1 },
    ])
  })

  test('K4 a command that was denied did not run', () => {
    const { commands, errors } = recorded(
      step('', call('1', 'Bash', { command: 'rm -rf /' })),
      failure('1', 'Bash', 'PERMISSION_DENIED', 'denied'),
    )
    expect(commands.entries).toEqual([])
    expect(errors.entries).toMatchObject([{ tool: 'Bash', code: 'PERMISSION_DENIED' }])
  })

  test('K4 equal errors are counted, and the newest recaps kept', () => {
    const recaps = Array.from({ length: 7 }, (_, index) => done('TodoWrite', {}, { recap: `[${index}/7]` }))
    const fail = [step('', call('1', 'Read')), failure('1', 'Read', 'NOT_FOUND', 'a.ts: not found')]
    const { errors, todos } = recorded(...fail, ...recaps.flat(), ...fail)
    expect(errors.entries).toMatchObject([{ message: 'a.ts: not found', count: 2 }])
    expect(todos).toEqual({ entries: ['[2/7]', '[3/7]', '[4/7]', '[5/7]', '[6/7]'], more: 2 })
  })

  test('K4 calls of one step with the same id get their results in order', () => {
    const { commands } = recorded(
      step('', call('x', 'Bash', { command: 'one' }), call('x', 'Bash', { command: 'two' })),
      result('x', { exit_code: 1 }, 'Bash'),
      result('x', { exit_code: 2 }, 'Bash'),
    )
    expect(commands.entries.map(({ command, exitCode }) => [command, exitCode])).toEqual([
      ['one', 1],
      ['two', 2],
    ])
  })

  test('K4 if a later step uses an id again, it gets its own result', () => {
    const { commands } = recorded(
      step('', call('x', 'Bash', { command: 'one' })),
      step('', call('x', 'Bash', { command: 'two' })),
      result('x', { exit_code: 2 }, 'Bash'),
    )
    expect(commands.entries).toEqual([
      { command: 'two', count: 1, exitCode: 2 },
      { command: 'one', count: 1 },
    ])
  })
})

describe('times and prompts', () => {
  test('K4 the times are the first and the last recorded time, in any time zone', () => {
    const at = (time: unknown): AgentMessage => ({ role: 'assistant', content: 'x', metadata: { at: time } })
    const cell = round(
      'first',
      at('2026-01-01T09:00:00+08:00'),
      at('2026-01-01T03:00:00Z'),
      at('soon'),
      at(3),
    )
    const told = { ...cell, metadata: { ...cell.metadata, at: '2026-01-01T02:00:00.5Z' } }
    const { startedAt, endedAt, prompts } = recordsOf(roundsOf([told, round('  '), round('second\n\nline')]))
    expect({ startedAt, endedAt }).toEqual({
      startedAt: '2026-01-01T09:00:00+08:00',
      endedAt: '2026-01-01T03:00:00Z',
    })
    expect(prompts).toEqual({ entries: ['first', 'second line'], more: 0 })
  })

  test('K4 without recorded times, no times are given', () => {
    expect(recorded(answer('done'))).not.toHaveProperty('startedAt')
  })
})

describe('the ReAct text form', () => {
  test('K4 a step that is only text is understood, and the result after it belongs to it', () => {
    const { files, commands } = recorded(
      said('Thought: look\nAction: Read[{"path":"a.ts"}]'),
      { role: 'tool', content: '{"status":"success","data":{}}' },
      said('Action: Bash[{"command":"echo \\"]}\\""}]'),
      {
        role: 'tool',
        content: '{"status":"success","data":{"exit_code":0}}',
        metadata: { tool_name: 'Bash' },
      },
      said('Action: Finish[done]'),
    )
    expect(files.entries).toMatchObject([{ path: 'a.ts', read: 1 }])
    expect(commands.entries).toEqual([{ command: 'echo "]}"', count: 1, exitCode: 0 }])
  })

  test('K4 an answer keeps its own brackets', () => {
    const answered = (text: string) => finalAnswer({ start: 0, end: 1, prompt: '', steps: [said(text)] })
    expect(answered('Action: Finish[see [a](b) and [c]]')).toBe('see [a](b) and [c]')
    expect(answered('Action: Finish[[1] is first]')).toBe('[1] is first')
    expect(answered('plain')).toBe('plain')
    expect(answered('Action: Read[{"path":"a.ts"}]')).toBeUndefined()
  })
})

describe('any history', () => {
  test('K4 whatever a history contains, its records are bounded and the same each time', () => {
    fc.assert(
      fc.property(fc.array(rounds, { maxLength: 8 }), (cells) => {
        const records = recordsOf(roundsOf(cells))
        expect(recordsOf(roundsOf(cells))).toEqual(records)
        expect(JSON.stringify(records).length).toBeLessThan(200 * 1000)
        for (const { path } of records.files.entries) expect(path).toMatch(/^[^\n\r]{1,200}$/)
      }),
      { numRuns: runs(200) },
    )
  })

  test('K4 thirty times the calls cost thirty times the time', () => {
    const work = (text: string) => {
      const count = text.length
      const calls = Array.from({ length: count }, (_, index) =>
        call('same', 'Bash', { command: `c${index}` }),
      )
      const results = calls.map(() => result('same', { exit_code: 0 }, 'Bash'))
      recorded(step('', ...calls), ...results)
    }
    expect(growth((size) => 'x'.repeat(size), 1500, work)).toBeLessThan(linear)
  })
})

describe('cuts', () => {
  test('K4 a head is one line within its limit, and no character is cut in half', () => {
    const text = fc.array(fc.constantFrom('a', '字', '🙂', '👨‍👩‍👧', ' ', '\n', '\u0000'), { maxLength: 60 })
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (pieces, limit) => {
        const line = headLine(pieces.join(''), limit)
        expect(line.length).toBeLessThanOrEqual(limit)
        expect(line).not.toMatch(/\p{Cc}/u)
        expect(() => encodeURIComponent(line)).not.toThrow()
      }),
      { numRuns: runs(500) },
    )
  })

  test('K4 a head says that there is more only if there is', () => {
    expect(headLine('  four  \n words here ', 20)).toBe('four words here')
    expect(headLine(`${' '.repeat(1000)}x${' '.repeat(1000)}`, 5)).toBe('x')
    expect(headLine(`x${' '.repeat(1000)}y`, 5)).toBe('x…')
    expect(headLine('🙂🙂🙂', 4)).toBe('🙂…')
  })
})
