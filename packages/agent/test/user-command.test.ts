import { describe, expect, test } from 'vitest'
import { paramValues } from '../src/user-command.js'

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

  test('S7 without parameters there is nothing to fill', () => {
    expect(paramValues([], 'a b')).toEqual({})
  })
})
