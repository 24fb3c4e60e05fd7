import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { contentFolder } from '../../src/store/companion-paths.js'
import { thisMachine } from '../../src/store/machine.js'
import { temporaryEnding } from '../../src/store/temporary-name.js'
import {
  created,
  reopened,
  sessionWith,
  startProgram,
  storeProgram,
  temporaryFolder,
} from '../support/store-world.js'

/** The number of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = startProgram(await storeProgram('say("bye")'))
  await child.ended
  return child.pid
}

it('N3 the remains of a session that was never finished are removed when the next session is created', async () => {
  const folder = temporaryFolder()
  // Killed right before the whole file gets its name; and right before the lock gets its own.
  const program = await storeProgram(`
    import fs from 'node:fs'
    import files from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const die = () => process.kill(process.pid, 'SIGKILL')
    if (args[1] === 'file') files.link = die
    else fs.linkSync = die
    syncBuiltinESMExports()
    await store.createSession(args[0] + '/' + args[1] + '.mtm')
  `)
  for (const what of ['file', 'lock']) await startProgram(program, folder, what).ended
  const left = () => readdirSync(folder).filter((name) => /\.tmp$|~$/.test(name))
  expect(left()).toEqual([
    expect.stringMatching(/^file\.mtm\..*\.tmp$/),
    expect.stringMatching(/^lock\.mtm\.lock\..*~$/),
  ])
  await (await created(join(folder, 'next.mtm'))).close()
  expect(left()).toEqual([])
})

it('N3 only files with our names whose process is certainly dead are removed, and no link is followed', async () => {
  const path = await sessionWith(1)
  const folder = dirname(path)
  const contents = contentFolder(path)
  mkdirSync(contents)
  const here = thisMachine()
  const dead = await deadProcess()
  const elsewhere = { ...here, boot: 'another', host: 'another' }
  const long = new Date(Date.now() - 48 * 60 * 60 * 1000)
  const make = (name: string, time?: Date) => {
    writeFileSync(join(folder, name), 'half')
    if (time) utimesSync(join(folder, name), time, time)
    return name
  }
  const gone = [
    make(`other.mtm${temporaryEnding(here, dead)}`),
    make(`talk.mtm${temporaryEnding(here, dead)}`),
    make(`other.mtm${temporaryEnding(elsewhere, 1)}`, long),
    make('talk.mtm.0123456789ab.tmp'),
    make(`talk.mtm.d/${'a'.repeat(64)}${temporaryEnding(here, dead)}`),
  ]
  const kept = [
    make(`other.mtm${temporaryEnding(here)}`),
    make(`talk.mtm${temporaryEnding(here)}`),
    make(`other.mtm${temporaryEnding(elsewhere, 1)}`),
    make('other.mtm.0123456789ab.tmp'),
    make('notes.tmp'),
    make('a person’s.12345678.tmp'),
    make(`talk.mtm.d/mine${temporaryEnding(here, dead)}`),
    make(`talk.mtm.d/${'b'.repeat(64)}${temporaryEnding(here)}`),
  ]
  const outside = join(temporaryFolder(), 'outside')
  writeFileSync(outside, 'not ours')
  const link = `linked.mtm${temporaryEnding(here, dead)}`
  symlinkSync(outside, join(folder, link))
  await (await reopened(path)).close()
  const there = (name: string) => existsSync(join(folder, name))
  expect(gone.filter(there)).toEqual([])
  expect([...kept, link].filter((name) => !there(name))).toEqual([])
  expect(existsSync(outside)).toBe(true)
})
