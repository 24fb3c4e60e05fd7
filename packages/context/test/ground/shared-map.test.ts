import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { SharedMap } from '../../src/ground/shared-map.js'

const change = fc.record({ key: fc.string({ maxLength: 2 }), value: fc.option(fc.nat()) })

test('M1 shared maps behave like maps, and a change never affects an older one', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      let shared: SharedMap<number> = SharedMap.empty
      const plain = new Map<string, number>()
      const versions: [SharedMap<number>, Map<string, number>][] = []
      for (const { key, value } of changes) {
        versions.push([shared, new Map(plain)])
        shared = value === null ? shared.without(key) : shared.with(key, value)
        if (value === null) plain.delete(key)
        else plain.set(key, value)
      }
      for (const [before, expected] of [...versions, [shared, plain] as const]) {
        expect(before.size).toBe(expected.size)
        for (const { key } of changes) expect(before.get(key)).toBe(expected.get(key))
        const sorted = [...expected].sort(([one], [other]) => (one < other ? -1 : 1))
        expect(before.values()).toEqual(sorted.map(([, value]) => value))
      }
    }),
    { numRuns: runs(50) },
  )
})

test('M1 a shared map stays shallow in whatever order its keys come and go', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => String(index).padStart(5, '0'))
  let shared: SharedMap<string> = SharedMap.empty
  // Sorted keys make a tree that is not balanced a list, and 20 000 deep calls of `values` fail.
  for (const key of keys) shared = shared.with(key, key)
  expect(shared.values()).toEqual(keys)
  for (const key of keys.slice(0, 19_000)) shared = shared.without(key)
  expect(shared.values()).toEqual(keys.slice(19_000))
})
