import { expect, test } from 'vitest'
import { ChangeTexts } from '../../src/notebook/change-texts.js'

test('the texts of a change are kept while an editor shows them, and no longer', () => {
  const texts = new ChangeTexts()
  const [first, second] = [texts.add('one'), texts.add('two')]
  texts.keep(new Set([second]))
  expect([texts.get(first), texts.get(second), texts.size]).toEqual([undefined, 'two', 1])
  for (let index = 0; index < 100; index++) texts.keep(new Set([texts.add('more')]))
  expect(texts.size).toBe(1)
})
