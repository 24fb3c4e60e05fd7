import type { AgentMessage } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timesAsLong } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { answeredCall, callsOf } from '../../../schema/src/step-calls.js'
import { viewedCallIds, wholeSteps } from '../../src/history/whole-steps.js'
import { answer, call, result, rounds, step } from '../support/histories.js'
import { orphans } from '../support/pairs.js'

const whole = (...steps: readonly AgentMessage[]) => wholeSteps(steps, viewedCallIds())

describe('calls and their answers', () => {
  test('K2 a complete round is passed on unchanged', () => {
    const steps = [step('look', call('a'), call('b')), result('a'), result('b'), answer('done')]
    const shown = whole(...steps)
    expect(shown).toHaveLength(4)
    shown.forEach((message, index) => {
      expect(message).toBe(steps[index])
    })
  })

  test('K2 answers are in the order of the calls', () => {
    const shown = whole(step('look', call('a'), call('b')), result('b'), result('a'))
    expect(shown.map(answeredCall)).toEqual([undefined, 'a', 'b'])
  })

  test('A3 an interrupted call gets an answer that says so, the same in every view', () => {
    const steps = [step('look', call('a'), call('b', 'Bash')), result('a')]
    const shown = whole(...steps)
    expect(shown[2]).toEqual({
      role: 'tool',
      content:
        '{"status":"error","error":{"code":"EXECUTION_ERROR","message":"interrupted: the call was begun and no result of it is recorded; whether it took effect is unknown"}}',
      metadata: { tool_name: 'Bash', call_id: 'b', interrupted: true },
    })
    expect(whole(...steps)).toEqual(shown)
  })

  test('K2 a result without a call, and a second one for the same call, are not shown', () => {
    const shown = whole(
      result('z'),
      step('look', call('a')),
      result('a', { n: 1 }),
      result('a', { n: 2 }),
      result('y'),
    )
    expect(shown.map(answeredCall)).toEqual([undefined, 'a'])
    expect(shown[1]?.content).toContain('"n":1')
  })

  test('K2 a model that uses the id call_0 for every call gets each result in its place', () => {
    const shown = whole(
      step('one', call('call_0')),
      step('two', call('call_0')),
      result('call_0', { n: 2 }),
      step('three', call('call_0')),
      result('call_0', { n: 3 }),
    )
    expect(shown.map((message) => callsOf(message)[0]?.id ?? answeredCall(message))).toEqual([
      ...['call_0', 'call_0', 'call_0_2', 'call_0_2', 'call_0_3', 'call_0_3'],
    ])
    expect(shown.map(({ content }) => content).join()).toMatch(/interrupted.*"n":2.*"n":3/)
  })

  test('K2 a repeated id of any form is numbered as it was in older sessions', () => {
    const again = (id: string) => whole(step('one', call(id)), result(id), step('two', call(id)), result(id))
    const idsIn = (id: string) => again(id).flatMap((message) => callsOf(message).map((made) => made.id))
    expect(idsIn('abcDEF123')).toEqual(['abcDEF123', 'abcDEF123_2'])
    expect(idsIn('')).toEqual(['', '_2'])
  })

  test('K2 a result that comes after the next step still finds its call', () => {
    const shown = whole(
      step('one', call('a')),
      step('two', call('b')),
      result('b'),
      result('a', { late: true }),
    )
    expect(
      shown
        .map(({ content }) => content)
        .slice(0, 2)
        .join(),
    ).toContain('"late":true')
  })

  test("K2 calls in a provider's wire format are recognized", () => {
    const wire = {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'w', type: 'function', function: { name: 'Read', arguments: '{"path":"a.ts"}' } }],
    } as AgentMessage
    const answered = { role: 'tool', content: 'text', tool_call_id: 'w' } as AgentMessage
    expect(whole(wire, answered)).toEqual([wire, answered])
    expect(whole(wire)[1]?.metadata).toEqual({ tool_name: 'Read', call_id: 'w', interrupted: true })
    expect(callsOf(wire)[0]?.args).toEqual({ path: 'a.ts' })
  })

  test('A1 in a text protocol the answer simply follows', () => {
    const steps: AgentMessage[] = [
      { role: 'assistant', content: 'Action: Read[{"path":"a.ts"}]' },
      { role: 'tool', content: '{"status":"success"}' },
    ]
    expect(whole(...steps)).toEqual(steps)
    expect(whole({ role: 'tool', content: 'alone' })).toEqual([])
  })

  test('K2 a model that always uses the id call_0 costs no more than one with unique ids', () => {
    const many = (idOf: (index: number) => string) => {
      const steps = Array.from({ length: 20_000 }, (_, index) => [
        step('s', call(idOf(index))),
        result(idOf(index)),
      ]).flat()
      return () => expect(orphans(whole(...steps))).toEqual([])
    }
    const own = many((index) => `call_${index}x`)
    const same = many(() => 'call_0')
    expect(timesAsLong(same, own, 20)).toBeLessThan(20)
  })

  test('K2 a reply that was cut off before its first word is not shown', () => {
    expect(whole({ role: 'assistant', content: '' }, answer('x'))).toEqual([answer('x')])
  })

  test('K2 whatever a log contains, every call has one answer and every answer has its call', () => {
    fc.assert(
      fc.property(fc.array(rounds, { maxLength: 6 }), (cells) => {
        const used = viewedCallIds()
        const shown = cells.flatMap(({ metadata }) => wholeSteps(metadata?.mutsumi_interaction ?? [], used))
        expect(orphans(shown)).toEqual([])
        expect(wholeSteps(shown, viewedCallIds())).toEqual(shown)
      }),
      { numRuns: runs(500) },
    )
  })
})
