import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import {
  createSession,
  deleteSession,
  forkSession,
  openSession,
  renameSession,
  type SessionFile,
} from '../../src/node.js'
import { SessionError } from '../../src/store/session-fault.js'
import { addRound, sessionWith, temporaryFolder } from '../support/store-world.js'

/** Every call that puts something on the disk is counted, and one of them fails. */
const disk = vi.hoisted(() => {
  const state = { calls: 0, failing: 0, code: '', failed: '' }
  function pass(syscall: string): void {
    state.calls++
    if (state.calls !== state.failing) return
    state.failed = syscall
    throw Object.assign(new Error(`${state.code}: played, ${syscall}`), { code: state.code, syscall })
  }
  return { state, pass }
})

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const durable =
    (name: 'rename' | 'link' | 'copyFile' | 'mkdir') =>
    async (...args: unknown[]) => {
      disk.pass(name)
      return (real[name] as (...args: unknown[]) => Promise<unknown>)(...args)
    }
  const open: typeof real.open = async (path, flags, mode) => {
    if (flags === 'wx') disk.pass('open')
    const file = await real.open(path, flags, mode)
    return new Proxy(file, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (!['write', 'datasync', 'sync', 'truncate'].includes(String(name))) return value.bind(target)
        return async (...args: unknown[]) => {
          disk.pass(String(name))
          return value.apply(target, args)
        }
      },
    })
  }
  const mocked = {
    ...real,
    open,
    rename: durable('rename'),
    link: durable('link'),
    copyFile: durable('copyFile'),
    mkdir: durable('mkdir'),
  }
  return { ...mocked, default: mocked }
})

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  const durable =
    (name: 'writeSync' | 'fsyncSync' | 'linkSync' | 'renameSync') =>
    (...args: unknown[]) => {
      disk.pass(name.replace('Sync', ''))
      return (real[name] as (...args: unknown[]) => unknown)(...args)
    }
  const mocked = {
    ...real,
    writeSync: durable('writeSync'),
    fsyncSync: durable('fsyncSync'),
    linkSync: durable('linkSync'),
    renameSync: durable('renameSync'),
  }
  return { ...mocked, default: mocked }
})

interface Work {
  /** Makes the world that the work begins with; the texts in it must be there afterwards. */
  readonly prepare: () => Promise<{ readonly path: string; readonly texts: readonly string[] }>
  /** Answers with the texts that were acknowledged on the way, also if it fails. */
  readonly work: (path: string, saved: string[]) => Promise<unknown>
}

const large = `large ${'l'.repeat(70_000)}`

async function opened(path: string): Promise<SessionFile> {
  const opening = await openSession(path)
  if (opening.kind === 'opened') return opening.file
  throw new SessionError(opening.kind === 'fault' ? opening.code : 'exists', opening.message)
}

async function appended(path: string, saved: string[], spoil: () => void = () => undefined): Promise<void> {
  const file = await opened(path)
  try {
    spoil()
    for (const content of ['small', large]) {
      await file.add({ type: 'cell', role: 'user', content })
      saved.push(content)
    }
  } finally {
    await file.close().catch(() => undefined)
  }
}

const rounds = (count: number) => async () => ({
  path: await sessionWith(count),
  texts: Array.from({ length: count }, (_, index) => `question ${index + 1}`),
})

const works: Readonly<Record<string, Work>> = {
  'a session is made': {
    prepare: async () => ({ path: join(temporaryFolder(), 'new', 'a.mtm'), texts: [] }),
    work: async (path) => {
      const made = await createSession(path)
      if (made.kind === 'opened') return made.file.close()
      throw new SessionError(made.kind === 'fault' ? made.code : 'exists', made.message)
    },
  },
  'records are saved': { prepare: rounds(1), work: appended },
  'a damaged file is mended': {
    prepare: async () => {
      const { path } = await rounds(3)()
      writeFileSync(path, readFileSync(path, 'utf8').replace('answer to question 2', 'no answer at all'))
      return { path, texts: ['question 1', 'question 2', 'question 3'] }
    },
    work: appended,
  },
  'a torn line is cut off': {
    prepare: async () => {
      const world = await rounds(2)()
      appendFileSync(world.path, '{"type":"cell","id":"t')
      return world
    },
    work: appended,
  },
  'an edit from outside is taken in': {
    prepare: rounds(2),
    work: (path, saved) =>
      appended(path, saved, () =>
        writeFileSync(path, readFileSync(path, 'utf8').replace('"answer to question 1"', '"another"')),
      ),
  },
  'an older file is converted': {
    prepare: async () => {
      const path = join(temporaryFolder(), 'old.mtm')
      writeFileSync(
        path,
        JSON.stringify({ metadata: {}, context: [{ role: 'user', content: 'question 1' }] }),
      )
      return { path, texts: ['question 1'] }
    },
    work: appended,
  },
  'a session is renamed': {
    prepare: rounds(2),
    work: async (path) => faulty(await renameSession(path, { title: 'Another title' })),
  },
  'a session is forked': { prepare: rounds(2), work: async (path) => faulty(await forkSession(path)) },
  'a session is deleted': { prepare: rounds(2), work: async (path) => faulty(await deleteSession(path)) },
}

function faulty(answer: { readonly kind: string; readonly message?: string; readonly code?: string }): void {
  if (answer.kind === 'fault') throw new SessionError(answer.code as 'missing', answer.message ?? '')
}

/** All sessions below a folder, the text of their cells. */
async function textsBelow(folder: string): Promise<readonly string[]> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const texts: string[] = []
  for (const name of names.filter((name) => name.endsWith('.mtm'))) {
    const opening = await openSession(join(folder, name), { readOnly: true })
    if (opening.kind !== 'opened') throw new Error(`${name}: ${opening.message}`)
    texts.push(...opening.file.session.cells.map(({ content }) => content))
    await opening.file.close()
  }
  return texts
}

const expectations = {
  ENOSPC: { code: 'disk-full', message: /no room.*disk is full/ },
  EDQUOT: { code: 'disk-full', message: /no room.*quota/ },
  EIO: { code: 'disk-error', message: /disk failed/ },
} as const

describe('a disk that fails at each call in turn', () => {
  it.each(Object.entries(works))(
    'N3 while %s: the error names the cause, and no acknowledged record is lost',
    async (_, { prepare, work }) => {
      const calls = await countCalls(await prepare(), work)
      expect(calls).toBeGreaterThan(2)
      let failures = 0
      for (let failing = 1; failing <= calls; failing++)
        // Each call fails in one way, and in the long tests in every way.
        for (const [code, expected] of waysFrom(failing)) {
          const { path, texts } = await prepare()
          const saved: string[] = []
          Object.assign(disk.state, { calls: 0, failing, code, failed: '' })
          const failure = await work(path, saved).then(
            () => undefined,
            (error: unknown) => error,
          )
          const where = `${code} at call ${failing} of ${calls} (${disk.state.failed})`
          Object.assign(disk.state, { failing: 0 })
          if (failure !== undefined) {
            failures++
            expect.soft(failure, where).toBeInstanceOf(SessionError)
            expect.soft(failure, where).toMatchObject({ code: expected.code })
            expect.soft((failure as Error).message, where).toMatch(expected.message)
          }
          const found = await textsBelow(path.includes('/new/') ? dirname(dirname(path)) : dirname(path))
          expect([where, [...texts, ...saved].filter((text) => !found.includes(text))]).toEqual([where, []])
          // Once there is room again, it goes on, and nothing half written is in its way.
          if (existsSync(path)) {
            const again = await opened(path)
            await addRound(again, 'after')
            await again.close()
            const left = readdirSync(dirname(path)).filter((name) => /\.(tmp|lock)|~$/.test(name))
            expect([where, left]).toEqual([where, []])
          }
        }
      // Hardly a call may fail unheard.
      expect(failures).toBeGreaterThan(calls * 0.5)
    },
    120_000,
  )
})

function waysFrom(first: number) {
  const ways = Object.entries(expectations)
  return [...ways.slice(first % ways.length), ...ways.slice(0, first % ways.length)].slice(0, runs(1))
}

async function countCalls({ path }: { readonly path: string }, work: Work['work']): Promise<number> {
  Object.assign(disk.state, { calls: 0, failing: 0 })
  await work(path, [])
  return disk.state.calls
}
