import { expect, it } from 'vitest'
import { addRound, cellsOf, reopened, sessionWith, startProgram, storeProgram } from './support/store-world.js'

const lanes = 4
const runsPerLane = 26

/** Appends as fast as it can and says of each record when it was acknowledged. */
const body = `
  const [path, run] = args
  const opening = await store.openSession(path)
  if (opening.kind !== 'opened') throw new Error(opening.message)
  say('opened')
  const { file } = opening
  for (let number = 0; ; number++) {
    const content = run + '.' + number + ':' + 'x'.repeat(number % 10 === 9 ? 70_000 : number % 4000)
    const saving = [content, content + '+', content + '++'].map(async (content) => {
      const { id } = await file.add({ type: 'cell', role: 'user', content })
      say('saved ' + id + ' ' + content.length)
    })
    await Promise.all(saving)
  }
`

it('N3 kill -9 at any of a hundred moments loses nothing that was acknowledged', async () => {
  const program = await storeProgram(body)
  const counts = await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(program, lane)))
  const sum = (pick: (count: Counts) => number) => counts.reduce((total, count) => total + pick(count), 0)
  expect(sum(({ killed }) => killed)).toBeGreaterThanOrEqual(100)
  // Otherwise nothing was proved.
  expect(sum(({ saved }) => saved)).toBeGreaterThan(500)
}, 400_000)

interface Counts {
  readonly killed: number
  readonly saved: number
}

async function runLane(program: string, lane: number): Promise<Counts> {
  const path = await sessionWith(0, `lane-${lane}.mtm`)
  const acknowledged = new Map<string, number>()
  for (let run = 0; run < runsPerLane; run++) {
    for (const line of await killedAtRandom(program, path, run)) {
      const [, id, length] = /^saved (\S+) (\d+)$/.exec(line) ?? []
      if (id !== undefined) acknowledged.set(id, Number(length))
    }
    await expectAllSaved(path, acknowledged)
  }
  const file = await reopened(path)
  await addRound(file, 'after all')
  await file.close()
  expect((await cellsOf(path)).at(-1)).toBe('after all')
  return { killed: runsPerLane, saved: acknowledged.size }
}

/** Most runs die while they write, every fifth while it starts, takes over the lock or mends the file. */
async function killedAtRandom(program: string, path: string, run: number): Promise<readonly string[]> {
  const child = startProgram(program, path, String(run))
  if (run % 5 === 4) await pause(40 + Math.random() * 80)
  else {
    await child.line('opened')
    await pause(Math.random() * 40)
  }
  child.kill()
  await child.ended
  return child.lines
}

async function expectAllSaved(path: string, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const file = await reopened(path, { readOnly: true })
  const found = new Map(
    file.records.map((record) => [record.id, record.type === 'cell' ? record.content.length : -1]),
  )
  const lost = [...acknowledged].filter(([id, length]) => found.get(id) !== length)
  expect(lost).toEqual([])
  expect(file.notes.filter(({ code }) => code !== 'torn-line')).toEqual([])
  await file.close()
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
