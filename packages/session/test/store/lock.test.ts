import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { forkSession, openSession } from '../../src/node.js'
import { lockPath } from '../../src/store/companion-paths.js'
import { acquireLock } from '../../src/store/lock.js'
import { type LockOwner, type OwnerState, stateOfOwner } from '../../src/store/lock-owner.js'
import { elapsedSeconds, type Machine } from '../../src/store/machine.js'
import {
  addRound,
  cellsOf,
  reopened,
  sessionWith,
  startProgram,
  storeProgram,
} from '../support/store-world.js'

const holding = `
  const opening = await store.openSession(args[0])
  say(opening.kind)
  if (opening.kind === 'opened') setInterval(() => undefined, 1000)
`

/** The lock of this running process, with something changed. */
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
  it('N3 the second process gets an error that names the writer, and may read or fork', async () => {
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

  it('N3 if many processes find a dead owner’s lock at once, one takes it over', async () => {
    const source = fileURLToPath(new URL('../../src/store', import.meta.url))
    const program = await storeProgram(`
      import { closeSync, openSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
      import { acquireLock } from ${JSON.stringify(`${source}/lock.ts`)}
      import { lockPath } from ${JSON.stringify(`${source}/companion-paths.ts`)}
      const [path, until] = args
      let taken = 0
      while (Date.now() < Number(until)) {
        if (acquireLock(path, 'id').kind !== 'acquired') continue
        taken++
        // Fails where another process is in here too.
        closeSync(openSync(path + '.inside', 'wx'))
        const owner = JSON.parse(readFileSync(lockPath(path), 'utf8'))
        rmSync(path + '.inside')
        // As if this process had died, and its number had gone to another one.
        const token = Math.random().toString(16).slice(2, 18).padEnd(16, '0')
        writeFileSync(path + '.' + process.pid, JSON.stringify({ ...owner, token, started: '1' }))
        renameSync(path + '.' + process.pid, lockPath(path))
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

  it('N3 the same process cannot open a session twice for writing, and releases it when it closes', async () => {
    const path = await sessionWith(1)
    const file = await reopened(path)
    expect(await openSession(path)).toMatchObject({ kind: 'locked', owner: { pid: process.pid } })
    await file.close()
    expect(strayFiles(path)).toEqual([])
    await (await reopened(path)).close()
  })

  it('N3 a process that ends without closing releases the session', async () => {
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
  it('N3 of a process whose number was reused, it is taken over', async () => {
    const path = await sessionWith(1)
    writeFileSync(lockPath(path), await lockOfThisProcess(path, { started: '1' }))
    await (await reopened(path)).close()
    expect(existsSync(lockPath(path))).toBe(false)
  })

  it('N3 of another machine or another container, it is never taken over', async () => {
    const path = await sessionWith(1)
    for (const changes of [
      { host: 'elsewhere', boot: 'another', pid: 999_999 },
      { space: 'pid:[1]', pid: 999_999 },
    ]) {
      const text = await lockOfThisProcess(path, changes)
      writeFileSync(lockPath(path), text)
      expect(await openSession(path)).toMatchObject({ kind: 'locked', owner: { pid: 999_999 } })
      expect(readFileSync(lockPath(path), 'utf8')).toBe(text)
      rmSync(lockPath(path))
    }
  })

  it('N3 that cannot be read, it is reported and left alone', async () => {
    const path = await sessionWith(1)
    for (const text of ['', 'not ours', '{"pid":1,"token":"../../x"}']) {
      writeFileSync(lockPath(path), text)
      const answer = await openSession(path)
      expect(answer).toMatchObject({ kind: 'locked', message: expect.stringContaining('remove') })
      expect(answer).not.toHaveProperty('owner')
      expect(readFileSync(lockPath(path), 'utf8')).toBe(text)
    }
  })

  it('N3 a process that died while taking a lock does not block the session', async () => {
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

describe('what a machine knows about the owner of a lock', () => {
  const booted = Date.parse('2026-01-02T08:00:00.000Z')
  const time = (minutes: number) => new Date(booted + minutes * 60_000).toISOString()

  /** A machine on which process 7 runs, which started ten minutes after the machine did. */
  function machine(changes: Partial<Machine> = {}): Machine {
    const seven = { started: '60000', startedAt: booted + 600_000 }
    const processOf = (pid: number) => (pid === 7 ? seven : 'none')
    const named = { host: 'box', boot: 'b1', machine: 'm1', space: 'pid:[1]' }
    return { ...named, bootedAt: booted, processOf, ...changes }
  }

  const unnamed: Machine = {
    host: 'box',
    bootedAt: booted,
    processOf: (pid) => (pid === 7 ? { startedAt: booted + 600_000 } : 'none'),
  }

  function ownerOf(changes: Partial<LockOwner>): LockOwner {
    const named = { pid: 7, host: 'box', started: '60000', boot: 'b1', machine: 'm1', space: 'pid:[1]' }
    return { ...named, session: 's', since: time(20), token: 'a'.repeat(16), ...changes }
  }

  const { boot: _, machine: __, space: ___, started: ____, ...plain } = ownerOf({})

  it.each<[string, OwnerState, LockOwner, Machine, 'local' | 'shared']>([
    ['it runs', 'running', ownerOf({}), machine(), 'local'],
    ['it ended', 'gone', ownerOf({ pid: 8 }), machine(), 'local'],
    ['its number went to another process', 'gone', ownerOf({ started: '1' }), machine(), 'shared'],
    ['the machine has another name now', 'running', ownerOf({ host: 'old' }), machine(), 'local'],
    [
      'a dead container, whose process 7 is not ours',
      'other-container',
      ownerOf({ space: 'pid:[2]' }),
      machine(),
      'local',
    ],
    [
      'a container with a name of its own',
      'other-container',
      ownerOf({ space: 'pid:[2]', host: 'c0ffee' }),
      machine(),
      'local',
    ],
    [
      'another machine',
      'other-machine',
      ownerOf({ host: 'elsewhere', boot: 'b2', machine: 'm2' }),
      machine(),
      'shared',
    ],
    [
      'another machine with the same name',
      'same-name',
      ownerOf({ boot: 'b2', machine: 'm2' }),
      machine(),
      'local',
    ],
    [
      'a clone with the same id, that locked after this one started',
      'same-name',
      ownerOf({ boot: 'b2' }),
      machine(),
      'shared',
    ],
    [
      'a clone, or this one before it was restarted',
      'earlier-or-same-name',
      ownerOf({ boot: 'b2', since: time(-20) }),
      machine(),
      'shared',
    ],
    [
      'this machine before it was restarted',
      'gone',
      ownerOf({ boot: 'b2', since: time(-20) }),
      machine(),
      'local',
    ],
    ['a system that does not name its run', 'same-name', { ...plain, since: time(20) }, machine(), 'local'],
    [
      'no start time, and the process is older than the lock',
      'running',
      { ...plain, since: time(20) },
      unnamed,
      'local',
    ],
    [
      'no start time, and the process is younger than the lock',
      'gone',
      { ...plain, since: time(5) },
      unnamed,
      'local',
    ],
    [
      'no start time, and the lock is older than the machine’s run',
      'gone',
      { ...plain, since: time(-20) },
      unnamed,
      'local',
    ],
    [
      'no start time, and nobody can tell',
      'number-in-use',
      plain,
      { host: 'box', processOf: () => ({}) },
      'local',
    ],
    ['an invalid time', 'running', { ...plain, since: 'soon' }, unnamed, 'local'],
  ])('N3 %s: %s', (_, expected, owner, here, disk) => {
    expect(stateOfOwner(owner, here, () => disk === 'shared')).toBe(expected)
  })

  it('N3 each message says what the lock is and how to continue', async () => {
    const path = await sessionWith(1)
    // Nobody must remove the lock of a process that runs.
    const running = /by process 7 on box since 2026-/
    const messages = [
      [ownerOf({}), machine(), running],
      [
        ownerOf({ space: 'pid:[2]' }),
        machine(),
        /another container .*Process 7 is another one here.*If you are sure that the container is gone/,
      ],
      [ownerOf({ host: 'far', boot: 'b2' }), machine(), /on far since .*another machine/],
      [ownerOf({ boot: 'b2', machine: 'm2' }), machine(), /another machine, which is also called box/],
      [
        plain,
        { host: 'box', processOf: () => ({}) },
        /process with that number is running.*If no Mutsumi is writing/,
      ],
    ] as const
    for (const [owner, here, expected] of messages) {
      writeFileSync(lockPath(path), JSON.stringify(owner))
      const answer = acquireLock(path, 's', here)
      expect(answer).toMatchObject({ kind: 'locked', message: expect.stringMatching(expected) })
      expect(answer).toMatchObject({
        message: expect.stringMatching(
          expected === running ? /read-only, or fork it and continue in the fork\.$/ : /remove .*\.lock\.$/,
        ),
      })
    }
  })

  it('N3 the age of a process is read as POSIX writes it', () => {
    expect(['00:07', ' 12:34\n', '1:00:01', '2-03:04:05'].map(elapsedSeconds)).toEqual([7, 754, 3601, 183845])
    expect(['', 'ELAPSED', '7', 'a:b'].map(elapsedSeconds)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
