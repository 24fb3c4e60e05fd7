import { numberedCallId, numberedId, UniqueIds } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../test/support/property-runs.js'

/** Ids as models give them, and such as the numbered spellings of others. */
const ids = fc.array(
  fc.oneof(
    fc.constantFrom('', 'call_0', 'call_0_2', 'abcDEF123', 'abcDEF122', 'abcDEF12a', '000000000'),
    fc.string({ maxLength: 3 }),
    fc.string({ unit: fc.constantFrom('a', 'B', '2'), minLength: 9, maxLength: 9 }),
  ),
  { maxLength: 60 },
)
const spellings = fc.constantFrom(numberedId, numberedCallId)

describe('unique ids', () => {
  test('A2 a repeated id is numbered, and a unique one stays as it is', () => {
    const taken = new UniqueIds(numberedCallId)
    expect(['c', 'c', 'c_2', 'c', 'd'].map((id) => taken.take(id))).toEqual(['c', 'c_2', 'c_2_2', 'c_3', 'd'])
  })

  test('A2 an id that is removed is free again', () => {
    const taken = new UniqueIds(numberedId)
    taken.add('c')
    taken.remove('c')
    expect(taken.take('c')).toBe('c')
  })

  test('A2 no id is ever given twice, and a free one is kept', () => {
    fc.assert(
      fc.property(ids, spellings, (wanted, spelling) => {
        const taken = new UniqueIds(spelling)
        const given = new Set<string>()
        for (const id of wanted) {
          const own = taken.take(id)
          expect(given.has(own)).toBe(false)
          if (!given.has(id)) expect(own).toBe(id)
          given.add(own)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('A2 numbering keeps ids of nine letters and digits in that form', () => {
    const nine = /^[a-zA-Z0-9]{9}$/
    fc.assert(
      fc.property(ids, (wanted) => {
        const taken = new UniqueIds(numberedCallId)
        for (const id of wanted) expect(nine.test(taken.take(id))).toBe(nine.test(id))
      }),
      { numRuns: runs(300) },
    )
    expect(numberedCallId('abcDEF123', 37)).toBe('abcDEF111')
    expect(numberedId('abcDEF123', 2)).toBe('abcDEF123_2')
  })

  test('A2 a copied list gives the same ids as the original, and does not change it', () => {
    fc.assert(
      fc.property(ids, ids, spellings, (first, then, spelling) => {
        const list = new UniqueIds(spelling)
        for (const id of first) list.take(id)
        const continued = list.continued()
        const given = then.map((id) => continued.take(id))
        expect(then.map((id) => list.take(id))).toEqual(given)
      }),
      { numRuns: runs(300) },
    )
  })

  test('A2 each spelling of an id that is repeated twenty thousand times is tried once', () => {
    let tried = 0
    const taken = new UniqueIds((id, number) => {
      tried++
      return numberedId(id, number)
    })
    const given = Array.from({ length: 20_000 }, () => taken.take('same'))
    expect([given.at(-1), tried]).toEqual(['same_20000', 19_999])
  })
})
