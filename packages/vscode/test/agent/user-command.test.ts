import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textOf } from '@mutsumi/schema'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { previewCell } from '../../src/agent/preview-cell.js'
import { typedText } from '../../src/notebook/typed-text.js'
import { finish, partsIn, played, ranCell } from '../support/folder.js'
import { cell, saved, sessionBytes } from '../support/notebook.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-command-'))
  mkdirSync(join(root, '.mutsumi/commands'), { recursive: true })
  writeFileSync(
    join(root, '.mutsumi/commands/review.md'),
    '---\nparams: [FILE]\n---\nLook hard at {{FILE}}.\n',
  )
})
afterEach(() => rmSync(root, { recursive: true }))

test('H2 a cell that calls a user command sends its text, and shows the words that were typed', async () => {
  const typed = '/review a.ts'
  writeFileSync(join(root, 'talk.mtm'), sessionBytes([typed], ['Next']))
  const model = played(finish('Fine.'), finish('Yes.'))
  const parts = await partsIn(root, model, { trusted: true })
  const { opened } = await ranCell(parts, 'c0', typed)
  const sent = model.requests[0]?.messages.findLast(({ role }) => role === 'user')
  expect(sent && textOf(sent)).toContain('Look hard at a.ts.')
  const [first] = opened.session.cells
  expect(first?.content).toContain('Look hard at a.ts.')
  expect(first && typedText(first)).toBe(typed)
  await ranCell(parts, 'c1', 'Next')
  expect(model.requests[1]?.messages.some((message) => textOf(message).includes('Look hard at a.ts.'))).toBe(
    true,
  )
  await parts.toolbox.close()
})

test('H2 a preview expands a command, and says that there is none of that name', async () => {
  writeFileSync(join(root, 'talk.mtm'), sessionBytes())
  const parts = await partsIn(root, played(), { trusted: true })
  const bytes = sessionBytes(['/review a.ts'], ['/revue a.ts'])
  const disk = saved(bytes, [cell('/review a.ts', 'c0'), cell('/revue a.ts', 'c1')])
  const notebook = { disk, added: [] }
  const preview = await previewCell(parts, { notebook, cell: 'c0', prompt: '/review a.ts' })
  expect(textOf(preview.messages.at(-1) ?? { role: 'user', content: '' })).toContain('Look hard at a.ts.')
  const wrong = await previewCell(parts, { notebook, cell: 'c1', prompt: '/revue a.ts' })
  expect(wrong.warnings).toMatchObject([{ code: 'command', message: expect.stringContaining('/review') }])
  await parts.toolbox.close()
})

test('P1 H2 a cell with a command that does not exist is not sent, and stays a question without an answer', async () => {
  writeFileSync(join(root, 'talk.mtm'), sessionBytes(['/revue a.ts']))
  const model = played(finish('Fine.'))
  const parts = await partsIn(root, model, { trusted: true })
  const { events } = await ranCell(parts, 'c0', '/revue a.ts')
  expect(events.at(-1)).toMatchObject({
    type: 'round-end',
    status: 'failed',
    message: expect.stringContaining('did you mean /review?'),
  })
  expect(model.requests).toHaveLength(0)
  await parts.toolbox.close()
})

test('H2 saving leaves the text of a command as it is, until its words change', async () => {
  writeFileSync(join(root, 'talk.mtm'), sessionBytes(['/review a.ts']))
  const parts = await partsIn(root, played(finish('Fine.')), { trusted: true })
  await ranCell(parts, 'c0', '/review a.ts')
  await parts.toolbox.close()
  const before = readFileSync(join(root, 'talk.mtm'))
  expect(saved(before, [cell('/review a.ts', 'c0')]).bytes).toEqual(before)
  const [changed] = saved(before, [cell('/review b.ts', 'c0')]).session.cells
  expect(changed?.content).toBe('/review b.ts')
  expect(changed?.metadata?.typed).toBeUndefined()
  const [longer] = saved(before, [cell('/review a.ts\n\nand more', 'c0')]).session.cells
  expect(longer && typedText(longer)).toBe('/review a.ts\n\nand more')
})
