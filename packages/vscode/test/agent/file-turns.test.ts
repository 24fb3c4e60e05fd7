import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Model } from '@mutsumi/schema'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FileTurns, fileTurns } from '../../src/agent/file-turns.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { saveNotebook } from '../../src/notebook/save-notebook.js'
import { action, finish, partsIn, played, ranCell } from '../support/folder.js'
import { sessionBytes, tools } from '../support/notebook.js'

let root: string
const path = () => join(root, 'talk.mtm')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-turns-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Saves an edited draft as the editor does: it reads the file, and writes all of it a moment later. */
async function save(draft: string): Promise<void> {
  await fileTurns.saving(path())
  const disk = openNotebook(readFileSync(path()), tools)
  const known = new Set(disk.session.cells.flatMap(({ metadata }) => metadata?.id ?? []))
  const cells = disk.session.cells.map(({ content, metadata }) => ({
    content: metadata?.id === 'c1' ? draft : content,
    metadata: { id: metadata?.id ?? '' },
  }))
  const sources = { loaded: disk, disk, known, newId: tools.newId, at: tools.now() }
  const { bytes } = saveNotebook({ cells, metadata: disk.session.metadata }, sources)
  await wait(5)
  const file = await open(path(), 'w')
  await wait(1)
  await file.writeFile(bytes)
  await file.close()
  fileTurns.saved(path())
}

function slowly(model: Model): Model {
  return {
    ...model,
    async *stream(...asked) {
      await wait(20)
      yield* model.stream(...asked)
    },
  }
}

test('N3 H2 nothing is lost if the editor saves again and again while a round appends', async () => {
  writeFileSync(path(), sessionBytes(['Read it often'], ['draft']))
  const names = Array.from({ length: 25 }, (_, index) => `${index}.ts`)
  for (const name of names) writeFileSync(join(root, name), `export const name = '${name}'\n`)
  const reads = names.map((name) => action('Read', { path: name }))
  const parts = await partsIn(root, slowly(played(...reads, finish('Often.'))))
  let isOver = false
  const round = ranCell(parts, 'c0', 'Read it often').finally(() => {
    isOver = true
  })
  let saves = 0
  while (!isOver && saves < 10) {
    await save(`draft ${++saves}`)
    // A round reads the file again after each save.
    await wait(150)
  }
  const { events } = await round
  expect(events.at(-1)).toMatchObject({ type: 'round-end', status: 'done' })
  const { records, problems, session } = openNotebook(readFileSync(path()), tools)
  expect(problems).toEqual([])
  const count = (type: string) => records.filter((record) => record.type === type).length
  expect([count('step'), count('result'), count('request')]).toEqual([26, 25, 26])
  expect(session.cells[1]?.content).toBe(`draft ${saves}`)
  expect(saves).toBeGreaterThan(2)
  expect(readdirSync(root).filter((name) => /lost|rescued|corrupt|bak/.test(name))).toEqual([])
  await parts.toolbox.close()
})

test('work on a file waits for a save that was announced, and a save for work that has begun', async () => {
  const turns = new FileTurns()
  const seen: string[] = []
  let finishWork: (done: string) => void = () => undefined
  const first = turns.run('a', () => new Promise<string>((resolve) => (finishWork = resolve)))
  const ready = turns.saving('a').then(() => seen.push('save'))
  const second = turns.run('a', async () => seen.push('second'))
  const other = turns.run('b', async () => seen.push('other file'))
  await other
  expect(seen).toEqual(['other file'])
  finishWork('done')
  await Promise.all([first, ready, turns.asked('a')])
  await wait(1)
  expect(seen).toEqual(['other file', 'save'])
  turns.saved('a')
  await second
  expect(seen).toEqual(['other file', 'save', 'second'])
  turns.saved('a')
  await turns.asked('a')
})

test('a save that fails holds a round up for a while only, and the next save at once ends its turn', async () => {
  const turns = new FileTurns({ contentMs: 30, writingMs: 30 })
  await turns.saving('a')
  await turns.run('a', async () => undefined)
  await turns.saving('a')
  await turns.asked('a')
  await turns.run('a', async () => undefined)
  const patient = new FileTurns()
  await patient.saving('a')
  await patient.saving('a')
  patient.saved('a')
  await patient.run('a', async () => undefined)
})
