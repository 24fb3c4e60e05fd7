import { expect, test } from 'vitest'
import { Talk } from '../interactive/support/talk.js'
import { makeFolder } from '../support/command.js'

test('H1 doctor asks a real terminal what it can do, and its raw answer is not shown', async () => {
  const talk = new Talk(makeFolder(), ['doctor'], { columns: 100 })
  await talk.until(/^mcp {9}/m)
  expect(await talk.ended).toBe(0)
  expect(talk.text).toMatch(/^terminal {4}xterm-256color, 100 columns, colors, Kitty keyboard: (yes|no), /m)
  expect(talk.text).toMatch(/^locale {6}C\.UTF-8 \(LANG\)$/m)
  expect(talk.text).not.toMatch(/\[\?|2026/)
})
