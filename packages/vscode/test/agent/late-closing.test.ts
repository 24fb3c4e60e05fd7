import { expect, test } from 'vitest'
import { LateClosing } from '../../src/agent/late-closing.js'

test('a setting that changes while rounds run closes their tools only after the last of them', () => {
  const closed: string[] = []
  const closing = new LateClosing()
  closing.close(() => closed.push('idle'))
  const [first, second] = [closing.hold(), closing.hold()]
  closing.close(() => closed.push('in use'))
  first()
  first()
  expect(closed).toEqual(['idle'])
  second()
  expect(closed).toEqual(['idle', 'in use'])
})
