import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { addRound, cellsOf, reopened, sessionWith } from '../support/store-world.js'

/** A real process that does something to a file all the time, from its first line of output on. */
async function busyWith(path: string, work: string): Promise<void> {
  const script = `const fs = require('node:fs')
    const path = process.argv[1]
    const work = () => { try { ${work} } catch {} }
    work()
    console.log('began')
    setInterval(work, 10)`
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  await once(child.stdout, 'data')
}

const rounds = Array.from({ length: 15 }, (_, at) => `busy ${at}`)

it.for([
  ['touches', 'fs.utimesSync(path, new Date(), new Date())'],
  ['replaces', "fs.writeFileSync(path + '~', fs.readFileSync(path)); fs.renameSync(path + '~', path)"],
] as const)(
  'Z8 N3 a program that %s the file all the time costs no round a minute, and no saved record',
  { timeout: 120_000 },
  async ([, work]) => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    await busyWith(path, work)
    const begin = performance.now()
    for (const name of rounds) await addRound(file, name)
    // Two seconds of waiting, once. Before, they were waited before each of the thirty records.
    expect(performance.now() - begin).toBeLessThan(40_000)
    // The other program may have put an older copy back since; this one notices it and writes its records again.
    await file.refresh()
    const texts = file.session.cells.map(({ content }) => content)
    expect(texts.filter((text) => rounds.includes(text))).toEqual(
      work.includes('utimes') ? rounds : texts.slice(1),
    )
    if (work.includes('utimes')) expect(await cellsOf(path)).toEqual(['question 1', ...rounds])
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.bak-'))).toEqual([])
  },
)

it('Z8 a program that changes the file all the time is reported', { timeout: 120_000 }, async () => {
  const path = await sessionWith(1)
  const file = await reopened(path)
  // On a loaded machine every process may stand still for a moment, and then the file is at rest. In this process the file
  // always changes between two looks, and with this clock no look comes too late.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
  const touch = () => utimesSync(path, new Date(), new Date())
  touch()
  const busy = setInterval(touch, 2)
  onTestFinished(() => clearInterval(busy))
  await addRound(file, 'busy')
  expect(file.news).toContainEqual({
    code: 'busy-file',
    source: 'talk.mtm',
    message: expect.stringMatching(/^Another program keeps changing talk\.mtm/),
    phrase: { code: 'busy-file', args: ['talk.mtm'] },
  })
})
