import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { forkSession, lockPath, openSession } from '../src/node.js'
import {
  addRound,
  cellsOf,
  reopened,
  sessionWith,
  startProgram,
  storeProgram,
} from './support/store-world.js'

const holding = `
  const opening = await store.openSession(args[0])
  say(opening.kind)
  if (opening.kind === 'opened') setInterval(() => undefined, 1000)
`

/** What a lock says of this very process, which lives, with something changed. */
async function lockOfThisProcess(path: string, changes: object): Promise<string> {
  const file = await reopened(path)
  const owner = JSON.parse(readFileSync(lockPath(path), 'utf8'))
  await file.close()
  return `${JSON.stringify({ ...owner, ...changes })}\n`
}

function strayFiles(path: string): readonly string[] {
  return readdirSync(dirname(path)).filter((name) => name.includes('.lock'))
}

describe('two writers', () => {
  it('N3 the second process is told who writes, and may read or fork', async () => {
    const path = await sessionWith(2)
    const child = startProgram(await storeProgram(holding), path)
    await child.line('opened')
    const locked = await openSession(path)
    expect(locked).toMatchObject({
      kind: 'locked',
      owner: { pid: child.pid, host: hostname(), since: expect.stringMatching(/^\d{4}-.*Z$/) },
      offers: ['read-only', 'fork'],
    })
    expect(locked).toMatchObject({
      message: expect.stringMatching(new RegExp(`process ${child.pid} on .* since .*read-only.*fork`)),
    })
    expect(await cellsOf(path)).toEqual(['question 1', 'question 2'])
    const fork = await forkSession(path)
    expect(fork.kind === 'forked' && (await cellsOf(fork.path))).toEqual(['question 1', 'question 2'])
    child.kill()
    await child.ended
    const file = await reopened(path)
    await addRound(file, 'taken over')
    await file.close()
    expect(strayFiles(path)).toEqual([])
  })

  it('N3 of many processes that find a dead owner’s lock at once, one takes it over', async () => {
    const source = fileURLToPath(new URL('../src/store/lock.ts', import.meta.url))
    const program = await storeProgram(`
      import { closeSync, openSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
      import { acquireLock } from ${JSON.stringify(source)}
      const [path, until] = args
      let taken = 0
      while (Date.now() < Number(until)) {
        if (acquireLock(path, 'id').kind !== 'acquired') continue
        taken++
        // Fails where another process is in here too.
        closeSync(openSync(path + '.inside', 'wx'))
        const owner = JSON.parse(readFileSync(store.lockPath(path), 'utf8'))
        rmSync(path + '.inside')
        // As if this process had died, and its number had gone to another one.
        const token = Math.random().toString(16).slice(2, 18).padEnd(16, '0')
        writeFileSync(path + '.' + process.pid, JSON.stringify({ ...owner, token, started: '1' }))
        renameSync(path + '.' + process.pid, store.lockPath(path))
      }
      say('taken ' + taken)
    `)
    const path = await sessionWith(1)
    const until = String(Date.now() + 4000)
    const children = Array.from({ length: 4 }, () => startProgram(program, path, until))
    await Promise.all(children.map((child) => child.line('taken')))
    const taken = children.map(({ lines }) => Number(lines[0]?.slice('taken '.length)))
    expect(taken.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20)
    await (await reopened(path)).close()
    expect(strayFiles(path)).toEqual([])
  })

  it('N3 the same process cannot write a session twice, and lets it go when it closes', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    expect(await openSession(path)).toMatchObject({ kind: 'locked', owner: { pid: process.pid } })
    await file.close()
    expect(strayFiles(path)).toEqual([])
    await (await reopened(path)).close()
  })

  it('N3 a process that ends without closing lets the session go', async () => {
    const path = await sessionWith(1)
    const child = startProgram(
      await storeProgram(`
        await store.openSession(args[0])
        process.exit(3)
      `),
      path,
    )
    await child.ended
    expect(strayFiles(path)).toEqual([])
  })
})

describe('a lock that somebody left', () => {
  it('N3 of a process whose number went to another one, it is taken over', async () => {
    const path = await sessionWith(1)
    writeFileSync(lockPath(path), await lockOfThisProcess(path, { started: '1' }))
    await (await reopened(path)).close()
    expect(existsSync(lockPath(path))).toBe(false)
  })

  it('N3 from before the machine was started anew, it is taken over', async () => {
    const path = await sessionWith(1)
    writeFileSync(lockPath(path), await lockOfThisProcess(path, { boot: 'another' }))
    await (await reopened(path)).close()
  })

  it('N3 of another machine or another container, it is never taken over', async () => {
    const path = await sessionWith(1)
    for (const changes of [
      { host: 'elsewhere', pid: 999_999 },
      { space: 'pid:[1]', pid: 999_999 },
    ]) {
      const text = await lockOfThisProcess(path, changes)
      writeFileSync(lockPath(path), text)
      expect(await openSession(path)).toMatchObject({ kind: 'locked', owner: { pid: 999_999 } })
      expect(readFileSync(lockPath(path), 'utf8')).toBe(text)
      rmSync(lockPath(path))
    }
  })

  it('N3 that nobody can read, it is told and left alone', async () => {
    const path = await sessionWith(1)
    for (const text of ['', 'not ours', '{"pid":1,"token":"../../x"}']) {
      writeFileSync(lockPath(path), text)
      const answer = await openSession(path)
      expect(answer).toMatchObject({ kind: 'locked', message: expect.stringContaining('remove') })
      expect(answer).not.toHaveProperty('owner')
      expect(readFileSync(lockPath(path), 'utf8')).toBe(text)
    }
  })

  it('N3 a claim that died half way through keeps nobody from the session', async () => {
    const path = await sessionWith(1)
    const dead = JSON.parse(await lockOfThisProcess(path, { started: '1' }))
    const claim = { ...dead, token: 'a'.repeat(16) }
    writeFileSync(lockPath(path), JSON.stringify(dead))
    writeFileSync(`${lockPath(path)}.${dead.token}`, JSON.stringify(claim))
    writeFileSync(`${lockPath(path)}.${claim.token}~`, JSON.stringify(claim))
    const empty = `${lockPath(path)}.${'b'.repeat(16)}~`
    writeFileSync(empty, '')
    utimesSync(empty, new Date(0), new Date(0))
    const file = await reopened(path)
    expect(strayFiles(path)).toEqual(['talk.mtm.lock'])
    await file.close()
  })
})
