import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { carryOut, openUndoPlace, planUndo } from '@mutsumi/agent/parts'
import { openSession } from '@mutsumi/session/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { carryOutUndo, finishBegunIn, planOfUndo, roundsFrom } from '../../src/agent/undo-session.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { undoCounts, undoLines } from '../../src/notebook/undo-lines.js'
import { action, finish, partsIn, played, ranCell } from '../support/folder.js'
import { cell, sessionBytes, tools } from '../support/notebook.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-undo-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const read = (name: string) => readFileSync(join(root, name), 'utf8')
const session = () => openNotebook(readFileSync(join(root, 'talk.mtm')), tools).session

/** Two rounds that change files, and a question that was not asked yet. */
async function changedFolder() {
  writeFileSync(join(root, 'a.txt'), 'one\n')
  writeFileSync(join(root, 'talk.mtm'), sessionBytes(['First'], ['Second'], ['Draft']))
  const model = played(
    action('Read', { path: 'a.txt' }),
    action('Edit', { path: 'a.txt', old_string: 'one', new_string: 'two' }),
    finish('Done.'),
    action('Write', { path: 'b.txt', content: 'new\n' }),
    finish('Written.'),
  )
  const parts = await partsIn(root, model)
  await ranCell(parts, 'c0', 'First')
  await ranCell(parts, 'c1', 'Second')
  return parts
}

test('H2 the newest round is undone with its file, and redone; cells that were never asked stay', async () => {
  const parts = await changedFolder()
  const path = join(root, 'talk.mtm')
  const plan = await planOfUndo(parts, path, { kind: 'undo' })
  if (plan.kind === 'nothing') throw new Error(plan.why)
  expect(undoLines(plan)).toMatchObject([
    { kind: 'round', number: 2, prompt: 'Second' },
    { kind: 'change', path: 'b.txt', effect: 'delete', size: '+0 -1' },
  ])
  expect(existsSync(join(root, 'b.txt'))).toBe(true)
  expect((await carryOutUndo(parts, path, plan))?.files).toMatchObject([{ path: 'b.txt', done: true }])
  expect(existsSync(join(root, 'b.txt'))).toBe(false)
  expect(session().cells.map(({ content }) => content)).toEqual(['First', 'Draft'])
  const redo = await planOfUndo(parts, path, { kind: 'redo' })
  if (redo.kind === 'nothing') throw new Error(redo.why)
  await carryOutUndo(parts, path, redo)
  expect(read('b.txt')).toBe('new\n')
  expect(session().cells).toHaveLength(3)
  await parts.toolbox.close()
})

test('H2 rounds are taken back from a cell on, and a file that a person edited stays, with the reason', async () => {
  const parts = await changedFolder()
  writeFileSync(join(root, 'a.txt'), 'mine\n')
  const path = join(root, 'talk.mtm')
  const plan = await planOfUndo(parts, path, { kind: 'undo', from: 'c0' })
  if (plan.kind === 'nothing') throw new Error(plan.why)
  expect(undoCounts(plan)).toEqual({ changing: 1, staying: 1 })
  expect(undoLines(plan)).toMatchObject([
    { kind: 'round', number: 1 },
    { kind: 'round', number: 2 },
    { kind: 'change', path: 'b.txt' },
    { kind: 'stay', path: 'a.txt', outcome: 'edited' },
  ])
  await carryOutUndo(parts, path, plan)
  expect(read('a.txt')).toBe('mine\n')
  expect(session().cells.map(({ content }) => content)).toEqual(['Draft'])
  await parts.toolbox.close()
})

test('H2 a plan is not carried out after another round, and a session without rounds has none', async () => {
  const parts = await changedFolder()
  const path = join(root, 'talk.mtm')
  const plan = await planOfUndo(parts, path, { kind: 'undo' })
  if (plan.kind === 'nothing') throw new Error(plan.why)
  await ranCell(parts, 'c2', 'Draft')
  expect(await carryOutUndo(parts, path, plan)).toBeUndefined()
  expect(read('b.txt')).toBe('new\n')
  writeFileSync(join(root, 'empty.mtm'), sessionBytes(['Draft']))
  const none = await planOfUndo(parts, join(root, 'empty.mtm'), { kind: 'undo' })
  expect(none).toEqual({ kind: 'nothing', why: 'no-rounds' })
  await parts.toolbox.close()
})

test('H2 rounds are counted from a cell to the end', () => {
  const cells = [cell('a', 'c0'), cell('b', 'c1'), cell('c', 'c2')]
  expect(roundsFrom(cells, 'c1')).toBe(2)
  expect(roundsFrom(cells, 'gone')).toBe(0)
  expect(roundsFrom(cells)).toBe(0)
})

test('Z8 the next opening in the notebook finishes an undo whose process was killed, and says so', async () => {
  const parts = await changedFolder()
  const path = join(root, 'talk.mtm')
  const opening = await openSession(path)
  if (opening.kind !== 'opened') throw new Error(opening.message)
  const place = openUndoPlace({ session: opening.file, workspace: parts.toolbox.workspace })
  const plan = await planUndo(place, { rounds: 3 })
  if (plan.kind === 'nothing') throw new Error(plan.why)
  const restore = (): never => {
    throw new Error('its process ends here')
  }
  const files = {
    look: place.files.look.bind(place.files),
    refusal: () => undefined,
    tidy: () => undefined,
    restore,
  }
  await expect(carryOut({ ...place, files }, plan)).rejects.toThrow('ends here')
  await opening.file.close()
  expect((await finishBegunIn(parts, path)).map(({ message }) => message)).toEqual([
    'an undo was interrupted and is finished now: "a.txt", "b.txt"',
  ])
  expect([read('a.txt'), existsSync(join(root, 'b.txt'))]).toEqual(['one\n', false])
  expect(await finishBegunIn(parts, path)).toEqual([])
  await parts.toolbox.close()
})
