import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../test/support/property-runs.js'
import { paramValues, wordOf } from '../src/user-command.js'

describe('the words after a command', () => {
  test.each([
    ['', {}],
    ['a.ts', { FILE: 'a.ts' }],
    ['a.ts errors', { FILE: 'a.ts', FOCUS: 'errors' }],
    ['a.ts errors and  warnings', { FILE: 'a.ts', FOCUS: 'errors and  warnings' }],
    ['"my file.ts" \'two words\'', { FILE: 'my file.ts', FOCUS: 'two words' }],
    ['"my file.ts" "two" words', { FILE: 'my file.ts', FOCUS: '"two" words' }],
    ['"open', { FILE: '"open' }],
  ])('S7 fill the parameters in order, the last takes the rest: %s', (words, values) => {
    expect(paramValues(['FILE', 'FOCUS'], words)).toEqual(values)
  })

  test('S7 any values can be written as words and read back unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), (values) => {
        const params = values.map((_, index) => `P${index}`)
        const words = values.map(wordOf).join(' ')
        expect(Object.values(paramValues(params, words))).toEqual(values)
      }),
      { numRuns: runs(300) },
    )
    expect(['a.ts', '', 'two words', 'say "why"', 'C:\\dir'].map(wordOf)).toEqual([
      'a.ts',
      '""',
      '"two words"',
      '"say \\"why\\""',
      '"C:\\\\dir"',
    ])
  })

  test('S7 without parameters there is nothing to fill', () => {
    expect(paramValues([], 'a b')).toEqual({})
  })
})
