import type { RecordedCall, ToolEffect, ToolResult } from '@mutsumi/schema'
import { describe, expect, it } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { LoopGuard } from '../../src/round/loop-guard.js'

const run: RecordedCall = { id: '1', name: 'Bash', args: { command: 'npm test' } }
const read: RecordedCall = { id: '2', name: 'Read', args: { path: 'a.ts' } }
const edit: RecordedCall = { id: '3', name: 'Edit', args: { path: 'a.ts' } }

function result(text: string, status: 'success' | 'partial' = 'success'): ToolResult {
  return { status, data: {}, text, stats: { time_ms: 1 }, context: { cwd: '/', params_input: {} } }
}

function failure(message: string): ToolResult {
  const error = { code: 'NOT_FOUND', message } as const
  return { ...result(message), status: 'error', error }
}

/** The guard's verdicts on one call after the other. */
function verdicts(calls: readonly (readonly [RecordedCall, ToolResult, ToolEffect])[]): string[] {
  const guard = new LoopGuard()
  return calls.map((call) => guard.judge(...call).kind)
}

describe('a round that goes in circles', () => {
  it('A4 the same call with the same result gives a warning from the third time on, and ends the round the fifth time', () => {
    const same = [read, result('x'), 'read'] as const
    expect(verdicts([same, same, same, same, same])).toEqual(['fine', 'fine', 'warn', 'warn', 'stop'])
  })

  it('A4 the same call with a different result each time is not a circle', () => {
    const calls = [1, 2, 3, 4, 5, 6].map((count) => [run, result(`${count} left`), 'execute'] as const)
    expect(verdicts(calls)).toEqual(Array(6).fill('fine'))
  })

  it('A4 a repeated result still counts if other calls come between', () => {
    const green = [run, result('ok'), 'execute'] as const
    const red = [run, result('not ok'), 'execute'] as const
    expect(verdicts([green, red, green, red, green])).toEqual(['fine', 'fine', 'fine', 'fine', 'warn'])
  })

  it('A4 two alternating calls give a warning when the third turn begins, and end the round with it', () => {
    const a = [read, result('x'), 'read'] as const
    const b = [run, result('not ok'), 'execute'] as const
    const guard = new LoopGuard()
    const judged = [a, b, a, b, a, b].map(([call, seen, effect]) => guard.judge(call, seen, effect))
    expect(judged.map(({ kind }) => kind)).toEqual(['fine', 'fine', 'fine', 'fine', 'warn', 'stop'])
    expect(judged.at(-1)).toMatchObject({
      message:
        'stopped: the calls Read, Bash were made in turn 3 times with the same arguments and returned the same results each time',
    })
  })

  const inTurn = (paths: readonly string[], text = 'x') =>
    paths.map((path) => [{ ...read, args: { path } }, result(text), 'read'] as const)

  it.for([
    { turn: ['a', 'b', 'c'], fine: 5 },
    { turn: ['a', 'b', 'c', 'd'], fine: 7 },
  ])(
    'A4 the calls $turn in turn give a warning with the second turn, and end the round as the third begins',
    (given) => {
      const calls = inTurn(given.turn)
      const kinds = verdicts([...calls, ...calls, ...calls]).slice(0, given.fine + 2)
      expect(kinds).toEqual([...Array(given.fine).fill('fine'), 'warn', 'stop'])
    },
  )

  it('A4 three or four calls in turn are not a circle while a result changes, or with another call between the turns', () => {
    const turns = ['1', '2', '3', '4'].flatMap((text) => [...inTurn(['a', 'b']), ...inTurn(['c'], text)])
    expect(verdicts(turns.slice(0, 8))).not.toContain('stop')
    const between = ['p', 'q', 'r'].flatMap((other) => [...inTurn(['a', 'b', 'c', 'd']), ...inTurn([other])])
    expect(verdicts(between.slice(0, 10))).not.toContain('stop')
    // Five different calls are too many to be a circle; the guard still counts each of them.
    const five = inTurn(['a', 'b', 'c', 'd', 'e'])
    expect(verdicts([...five, ...five])).toEqual(Array(10).fill('fine'))
  })

  it('A4 reading four files once more is not a circle', () => {
    const four = inTurn(['a', 'b', 'c', 'd'])
    expect(verdicts([...four, ...four])).not.toContain('stop')
  })

  it('A4 the warning names the calls', () => {
    const guard = new LoopGuard()
    const calls = [...inTurn(['a', 'b', 'c']), ...inTurn(['a', 'b', 'c'])]
    const judged = calls.map(([call, seen, effect]) => guard.judge(call, seen, effect))
    expect(judged.at(-1)).toMatchObject({ note: expect.stringContaining('Read, Read, Read in turn') })
  })

  it('A4 a turn with one new result is not a circle', () => {
    const steps = [1, 2, 3].flatMap((count) => [
      [read, result('x'), 'read'] as const,
      [run, result(`${count} left`), 'execute'] as const,
    ])
    expect(verdicts(steps)).not.toContain('stop')
  })

  it('A4 edits that undo each other are a circle; a command after each change is not', () => {
    const forth = [edit, result('1'), 'write'] as const
    const back = [{ ...edit, args: { path: 'b.ts' } }, result('2'), 'write'] as const
    expect(verdicts([forth, back, forth, back, forth, back]).at(-1)).toBe('stop')
    const test = [run, result('not ok'), 'execute'] as const
    expect(verdicts([forth, test, forth, test, forth, test]).at(-1)).not.toBe('stop')
  })

  it('A4 takes the same time for each call, however many came before', () => {
    const judge = (calls: number) => {
      const guard = new LoopGuard()
      for (let at = 0; at < calls; at++)
        guard.judge({ ...read, args: { path: `${at}` } }, result('x'), 'read')
    }
    expect(growth((calls) => calls, 8000, judge)).toBeLessThan(linear)
  })

  it('A4 the same text with another status is another result', () => {
    const whole = [read, result('x'), 'read'] as const
    const part = [read, result('x', 'partial'), 'read'] as const
    expect(verdicts([whole, whole, part, part])).toEqual(['fine', 'fine', 'fine', 'fine'])
  })

  it('A4 other arguments are another call', () => {
    const calls = ['a', 'b', 'c', 'd', 'e'].map(
      (path) => [{ ...read, args: { path } }, result('x'), 'read'] as const,
    )
    expect(verdicts(calls)).toEqual(Array(5).fill('fine'))
  })

  it('A4 a command with the same result after each change is not a circle; a failed change does not count as a change', () => {
    const test = [run, result('not ok'), 'execute'] as const
    const change = (text: string) => [edit, result(text), 'write'] as const
    expect(verdicts([test, change('1'), test, change('2'), test, change('3'), test])).not.toContain('warn')
    expect(verdicts([test, [edit, failure('no'), 'write'], test, test]).at(-1)).toBe('warn')
  })
})
