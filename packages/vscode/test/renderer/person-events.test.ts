import { expect, test } from 'vitest'
import { isByPerson } from '../../src/renderer/person-events.js'

test('Z4 a click that a script makes, and an object that looks like a click, answer no question', () => {
  expect(isByPerson(new Event('click'))).toBe(false)
  expect(isByPerson({ isTrusted: true } as Event)).toBe(false)
  const forged = Object.create(Event.prototype, { isTrusted: { value: true } }) as Event
  expect(isByPerson(forged)).toBe(false)
})
