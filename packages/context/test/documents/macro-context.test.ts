import { isMacroName } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { constant, growth } from '../../../../test/support/growth.js'
import { runs } from '../../../../test/support/property-runs.js'
import { MacroContext } from '../support/engine.js'

const treacherousNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']

describe('MacroContext', () => {
  test('M1 a macro is defined, read, redefined and undefined', () => {
    const macros = new MacroContext()
    expect(macros.isDefined('A')).toBe(false)
    expect(macros.getValue('A')).toBeUndefined()
    macros.define('A', '1')
    expect(macros.isDefined('A')).toBe(true)
    expect(macros.getValue('A')).toBe('1')
    macros.define('A', '2')
    expect(macros.getValue('A')).toBe('2')
    macros.undefine('A')
    expect(macros.isDefined('A')).toBe(false)
    expect(macros.getMacrosObject()).toEqual({})
  })

  test('M1 a macro with an empty value is defined', () => {
    const macros = new MacroContext()
    macros.define('EMPTY', '')
    expect(macros.isDefined('EMPTY')).toBe(true)
    expect(macros.getValue('EMPTY')).toBe('')
  })

  test('M1 clear forgets everything', () => {
    const macros = new MacroContext([
      ['A', '1'],
      ['B', '2'],
    ])
    macros.clear()
    expect(macros.getMacrosObject()).toEqual({})
  })

  test('M1 setMacros adds the entries of an object and leaves the other macros alone', () => {
    const macros = new MacroContext([
      ['A', 'old'],
      ['B', 'kept'],
    ])
    macros.setMacros({ A: 'new', C: 'added' })
    expect(macros.getMacrosObject()).toEqual({ A: 'new', B: 'kept', C: 'added' })
  })

  test('M1 setMacros ignores entries that are not a name with a string', () => {
    const macros = new MacroContext()
    macros.setMacros({ GOOD: 'yes', 'not a name': 'x', NUMBER: 1, NOTHING: null, LIST: ['x'] })
    expect(macros.getMacrosObject()).toEqual({ GOOD: 'yes' })
  })

  test('M1 the object that getMacrosObject returned does not change with the macros', () => {
    const macros = new MacroContext([['A', '1']])
    const before = macros.getMacrosObject()
    macros.define('A', '2')
    expect(before).toEqual({ A: '1' })
  })

  test('M1 a copy and its original change independently', () => {
    const macros = new MacroContext([['A', '1']])
    const copy = macros.copy()
    copy.define('A', '2')
    macros.define('B', '3')
    expect(macros.getMacrosObject()).toEqual({ A: '1', B: '3' })
    expect(copy.getMacrosObject()).toEqual({ A: '2' })
  })
})

describe('macro names', () => {
  test('M1 a name is a letter or underscore, then letters, digits and underscores', () => {
    for (const name of ['A', 'a', '_', '_1', 'API_VERSION', 'camelCase9'])
      expect(isMacroName(name)).toBe(true)
    for (const name of ['', '1A', 'A-B', 'A B', ' A', 'A\n', 'Ä', '宏', 'A.B', '$A'])
      expect([name, isMacroName(name)]).toEqual([name, false])
  })

  test('M1 an invalid name defines nothing', () => {
    const macros = new MacroContext()
    expect(macros.define('1A', 'x')).toBe(false)
    expect(macros.define('A\n', 'x')).toBe(false)
    expect(macros.getMacrosObject()).toEqual({})
  })

  test('M1 names are case-sensitive', () => {
    const macros = new MacroContext([['Name', 'x']])
    expect(macros.isDefined('Name')).toBe(true)
    expect(macros.isDefined('NAME')).toBe(false)
    expect(macros.isDefined('name')).toBe(false)
  })

  test('M1 properties that every object inherits are not defined', () => {
    const macros = new MacroContext()
    for (const name of treacherousNames) {
      expect([name, macros.isDefined(name)]).toEqual([name, false])
      expect(macros.getValue(name)).toBeUndefined()
    }
  })

  test('M1 __proto__ and constructor are ordinary names and survive a JSON round trip', () => {
    const macros = new MacroContext()
    for (const name of treacherousNames) macros.define(name, `value of ${name}`)
    const stored = JSON.parse(JSON.stringify(macros.getMacrosObject())) as Record<string, string>
    const restored = new MacroContext()
    restored.setMacros(stored)
    for (const name of treacherousNames) expect(restored.getValue(name)).toBe(`value of ${name}`)
    expect([...restored.entries()]).toEqual([...macros.entries()])
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })

  test('M1 any macros survive a JSON round trip', () => {
    const name = fc.oneof(
      fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
      fc.constantFrom(...treacherousNames),
    )
    const entries = fc.uniqueArray(fc.tuple(name, fc.string({ unit: 'binary', maxLength: 20 })), {
      selector: ([key]) => key,
    })
    fc.assert(
      fc.property(entries, (macros) => {
        const restored = new MacroContext()
        restored.setMacros(JSON.parse(JSON.stringify(new MacroContext(macros).getMacrosObject())))
        expect(new Map(restored.entries())).toEqual(new Map(macros))
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('the state of macros', () => {
  const pairs = fc.array(
    fc.tuple(fc.constantFrom('A', 'B', 'C', 'D'), fc.option(fc.constantFrom('', '1', '2', 'A'))),
  )

  test('S4 has the same key for equal macros, whatever their history, and different keys for different macros', () => {
    const stateAfter = (changes: readonly (readonly [string, string | null])[]) => {
      let macros = new MacroContext()
      for (const [name, value] of changes) {
        if (value === null) macros.undefine(name)
        else macros.define(name, value)
        macros = macros.copy()
      }
      const sorted = [...macros.entries()].sort(([one], [other]) => (one < other ? -1 : 1))
      return { key: macros.stateKey, content: JSON.stringify(sorted) }
    }
    fc.assert(
      fc.property(pairs, pairs, (one, other) => {
        const [first, second] = [stateAfter(one), stateAfter(other)]
        expect(first.key === second.key).toBe(first.content === second.content)
      }),
      { numRuns: runs(500) },
    )
  })

  test('S4 distinguishes macros whose values were swapped', () => {
    const keys = new Set<string>()
    for (let a = 0; a < 200; a++)
      for (let b = 0; b < 200; b++)
        keys.add(
          new MacroContext([
            ['A', String(a)],
            ['B', String(b)],
          ]).stateKey,
        )
    expect(keys.size).toBe(40_000)
  })

  test('S4 costs the same to copy and to name for one macro as for twenty thousand', () => {
    const make = (count: number) =>
      new MacroContext(Array.from({ length: count }, (_, index) => [`M${index}`, 'value']))
    const use = (macros: MacroContext) => {
      for (let round = 0; round < 200; round++) {
        const copy = macros.copy()
        copy.define('ROUND', String(round))
        expect(copy.stateKey).not.toBe(macros.stateKey)
      }
    }
    expect(growth(make, 2000, use, constant)).toBeLessThan(constant)
  })
})
