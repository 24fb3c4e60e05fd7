import { expect, test } from 'vitest'
import { lostEdits } from '../../src/notebook/lost-edits.js'

const cell = (id: string | undefined, text: string) => ({ id, text, language: 'mutsumi', kind: 2 })

test('H2 a text that was typed after a file was read, and that the reading replaced, is lost', () => {
  const read = [cell('a', 'One'), cell('b', 'Tw')]
  expect(lostEdits(read, [cell('b', 'Two')])).toEqual({ changed: [cell('b', 'Two')], added: [] })
})

test('H2 a cell that was added after a file was read is lost, with an id or without', () => {
  const read = [cell('a', 'One')]
  expect(lostEdits(read, [cell(undefined, 'Two'), cell('c', 'Three')]).added).toHaveLength(2)
})

test('H2 a cell that another program deleted, or that got a new id because it ran again, is not lost', () => {
  const read = [cell('a', 'One'), cell('b', 'Two')]
  expect(lostEdits(read, [cell('a', 'One'), cell('c', 'Two')])).toEqual({ changed: [], added: [] })
})
