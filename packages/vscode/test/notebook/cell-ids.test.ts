import { expect, test } from 'vitest'
import { ownIds, pairedIds } from '../../src/notebook/cell-ids.js'

const open = [
  { text: 'a', id: '1' },
  { text: 'b', id: '2' },
  { text: 'c', id: '3' },
]

test('H2 cells that are saved while one is edited keep their ids', () => {
  expect(pairedIds([{ text: 'a' }, { text: 'b, mo' }, { text: 'c' }], open)).toEqual(['1', '2', '3'])
})

test('H2 cells are found by their text while another one is deleted or added', () => {
  expect(pairedIds([{ text: 'a' }, { text: 'c' }], open)).toEqual(['1', '3'])
  expect(pairedIds([{ text: 'a' }, { text: 'new' }, { text: 'b' }, { text: 'c' }], open)).toEqual([
    '1',
    undefined,
    '2',
    '3',
  ])
})

test('H2 a copy gets a new id, even above its original, which keeps its id and its answer', () => {
  const newId = () => 'new'
  const original = { id: '1', before: '1' }
  const copy = { id: '1', before: undefined }
  expect(ownIds([original, copy], newId)).toEqual(['1', 'new'])
  expect(ownIds([copy, original], newId)).toEqual(['new', '1'])
  expect(ownIds([copy, { id: '2', before: '1' }], newId)).toEqual(['1', '2'])
  expect(ownIds([copy, copy, { id: undefined, before: undefined }], newId)).toEqual(['1', 'new', 'new'])
})
