import { expect, it } from 'vitest'
import { isSessionName } from '../src/session-files.js'

it.each([
  'chat.mtm',
  'CHAT.MTM',
  'chat.mtm.d',
  'chat.mtm.lock',
  'chat.mtm.lock.0a1b~',
  'chat.mtm.index',
  'chat.mtm~',
  '#chat.mtm#',
  '.chat.mtm.swp',
  'chat.mtm.1a2b3c4d-0001234-0123456789ab.tmp',
  'chat.mtm.bak-20261118T101112123Z',
  'chat.corrupt-20261118T101112123Z',
  'chat.lost-20261118T101112123Z',
  'chat.rescued-20261118T101112123Z.mtm',
  '.mtm',
])('Z4 %s belongs to a session', (name) => {
  expect(isSessionName(name)).toBe(true)
})

it.each(['chat.md', 'mtm', 'chat.mtmx', 'format.mtml', 'reader.mtm.ts', 'lost-and-found', 'a.lost-2026'])(
  'Z4 %s does not belong to a session',
  (name) => {
    expect(isSessionName(name)).toBe(false)
  },
)
