import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { contentFolder } from '../../src/store/companion-paths.js'
import {
  addRound,
  cellsOf,
  reopened,
  sessionWith,
  startProgram,
  storeProgram,
  temporaryFolder,
} from '../support/store-world.js'

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
  expect(sum(({ saved }) => saved)).toBeGreaterThan(200)
}, 400_000)

it('N3 kill -9 while sessions are created, repaired or converted leaves each of them whole', async () => {
  const talk = readFileSync(await sessionWith(3), 'utf8')
  const damaged = talk.replace('"content":"question 2"', '"content"*"question 2"')
  const older = JSON.stringify({ metadata: {}, context: [1, 2, 3].map(olderMessage) })
  const program = await storeProgram(`
    import { renameSync, writeFileSync } from 'node:fs'
    const [folder, damaged, older] = args
    say('ready')
    for (let number = 0; ; number++) {
      for (const [kind, text] of [['damaged', damaged], ['older', older]]) {
        const path = folder + '/' + kind + '-' + process.pid + '-' + number + '.mtm'
        writeFileSync(path + '~', text)
        renameSync(path + '~', path)
        const { file } = await store.openSession(path)
        await file.add({ type: 'cell', role: 'user', content: 'on' })
        await file.close()
      }
      const made = await store.createSession(folder + '/made-' + process.pid + '-' + number + '.mtm')
      await made.file.close()
    }
  `)
  const folder = temporaryFolder()
  const sessions = () => readdirSync(folder).filter((name) => name.endsWith('.mtm'))
  // A busy machine makes fewer in the same time. Most runs are killed in the middle of one.
  for (let run = 0; run < 24 || sessions().length <= 24; run++) {
    const child = startProgram(program, folder, damaged, older)
    await child.line('ready')
    await pause(Math.random() * 60)
    child.kill()
    await child.ended
  }
  const names = sessions()
  for (const name of names) await expectWhole(join(folder, name))
  // Of a session that never came to be, a name may be left.
  expect(leftIn(folder).filter((left) => names.some((name) => left.startsWith(name)))).toEqual([])
}, 200_000)

/** The remains of dead processes. A lock whose writer died before it wrote a byte is only removed once it is old. */
function leftIn(folder: string): readonly string[] {
  // Killed early, they may have written no large text.
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter(
    (name) => /\.(lock|tmp)/.test(name) && statSync(join(folder, name)).size > 0,
  )
}

function olderMessage(number: number): object {
  return { role: 'user', content: `question ${number}` }
}

/** The last record may or may not be there; all earlier ones are. */
async function expectWhole(path: string): Promise<void> {
  const texts = {
    damaged: ['question 1', '', 'question 3'],
    older: ['question 1', 'question 2', 'question 3'],
    made: [],
  }
  const kind = basename(path).replace(/-.*/, '') as keyof typeof texts
  // For writing: that cleans up what the dead left.
  const file = await reopened(path)
  const cells = file.session.cells.map(({ content }) => content)
  await file.close()
  expect([texts[kind], [...texts[kind], 'on']]).toContainEqual(cells)
}

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
  expect([...leftIn(dirname(path)), ...leftIn(contentFolder(path))]).toEqual([])
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
