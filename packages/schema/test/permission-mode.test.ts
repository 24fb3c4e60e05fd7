import { expect, test } from 'vitest'
import { reopenedMode } from '../src/permission-mode.js'

test('P2 a session that is opened again narrows the mode that the user chose, and never widens it', () => {
  expect(reopenedMode('ask', 'auto')).toBe('ask')
  expect(reopenedMode('ask', 'edits')).toBe('ask')
  expect(reopenedMode('ask', 'plan')).toBe('plan')
  expect(reopenedMode('edits', 'auto')).toBe('edits')
  expect(reopenedMode('auto', 'ask')).toBe('ask')
  expect(reopenedMode('auto', undefined)).toBe('auto')
  for (const odd of ['', 'all', 7, null, {}, '__proto__']) expect(reopenedMode('edits', odd)).toBe('edits')
})
