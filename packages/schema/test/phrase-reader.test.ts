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
