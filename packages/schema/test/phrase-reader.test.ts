import { expect, test } from 'vitest'
import { PhraseReader } from '../src/phrase-reader.js'

const reader = new PhraseReader({
  pair: '{0!} and {1}',
  list: 'one of {0}, {1}, {2}. {3}',
  same: 'xx{0}xx',
  plain: 'nothing',
})

test('H2 a phrase is read back from its words, with the phrases in it', () => {
  expect(reader.read('nothing and more and more')).toEqual({
    code: 'pair',
    args: [{ code: 'plain', args: [] }, 'more and more'],
  })
  expect(reader.read('one of a, b, c, d. e. f')).toEqual({ code: 'list', args: ['a', 'b', 'c, d', 'e. f'] })
  expect(reader.read('xxxx')).toEqual({ code: 'same', args: [''] })
  for (const other of ['xxx', 'nothing else', 'one of a, b. c', ''])
    expect(reader.read(other)).toBeUndefined()
})

test('H2 a text is read as the template whose inner phrases are known', () => {
  const nested = new PhraseReader({
    outer: '{0} was refused: {1!}',
    end: '{0!}; nothing helps',
    long: '{0} is a template that has many words of its own',
    plain: 'no',
  })
  const long = { code: 'long', args: ['x'] }
  expect(nested.read('a was refused: x is a template that has many words of its own')).toEqual({
    code: 'outer',
    args: ['a', long],
  })
  expect(nested.read('other words: x is a template that has many words of its own')?.code).toBe('long')
  expect(nested.read('a was refused: other words')).toEqual({ code: 'outer', args: ['a', 'other words'] })
})

test('H2 a text that fits templates in many ways is read in time', () => {
  const nested = new PhraseReader({ front: 'x: {0!}', back: '{0!}; y', both: 'x: {0!}; y' })
  const text = `${'x: '.repeat(150)}${'; y'.repeat(150)}`
  expect(nested.read(text)?.code).toBeDefined()
})
