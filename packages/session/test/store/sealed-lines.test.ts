import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { encodeRecord } from '@mutsumi/session'
import {
  acceptForeign,
  createSession,
  foreignRecords,
  forkSession,
  openSession,
  renameSession,
  type SessionFile,
  sealSaved,
} from '@mutsumi/session/node'
import { hashText } from '@mutsumi/tools'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'

const at = '2026-01-01T00:00:00.000Z'

/** A line as anybody can write it, with a valid sum. */
function forged(id: string, content = 'FORGED'): string {
  return `${encodeRecord({ type: 'cell', id, at, role: 'user', content })}\n`
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-sealed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let state = ''

/** The note of a command, as the tools make it. */
function beginCommand(workspace = tmpdir(), roots = [workspace]): () => void {
  const note = join(state, 'running', hashText(realpathSync(workspace)).slice(0, 32), '1.json')
  mkdirSync(dirname(note), { recursive: true })
  writeFileSync(note, JSON.stringify({ roots }))
  return () => rmSync(note)
}

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'mutsumi-state-'))
  vi.stubEnv('MUTSUMI_STATE_DIR', state)
  return () => {
    vi.unstubAllEnvs()
    rmSync(state, { recursive: true, force: true })
  }
})

async function opened(opening: ReturnType<typeof openSession>): Promise<SessionFile> {
  const answer = await opening
  if (answer.kind !== 'opened') throw new Error(answer.message)
  return answer.file
}

const contents = (file: SessionFile) => file.session.cells.map(({ content }) => content)

/** The cells as a later process reads them. */
async function readAgain(path: string, readOnly = true): Promise<string[]> {
  const file = await opened(openSession(path, { readOnly }))
  await file.close()
  return contents(file)
}

async function sessionDuring(path = join(makeFolder(), 'chat.mtm')) {
  const end = beginCommand()
  const file = await opened(createSession(path))
  await file.add({ type: 'cell', role: 'user', content: 'mine' })
  await file.close()
  return { path, end }
}

test('Z4 a line that a command adds to a session that began while it ran is never used', async () => {
  const { path, end } = await sessionDuring()
  appendFileSync(path, forged('f1'))
  expect(await readAgain(path)).toEqual(['mine'])
  const while_ = await opened(openSession(path))
  expect(while_.notes).toMatchObject([{ code: 'foreign-line', line: 3 }])
  await while_.add({ type: 'cell', role: 'user', content: 'next' })
  await while_.close()
  appendFileSync(path, forged('f2'))
  end()
  expect(await readAgain(path)).toEqual(['mine', 'next'])
  expect(await readAgain(path, false)).toEqual(['mine', 'next'])
  // From now on the file itself says so, on any machine.
  vi.stubEnv('MUTSUMI_STATE_DIR', makeFolder())
  expect(await readAgain(path)).toEqual(['mine', 'next'])
  expect(readFileSync(path, 'utf8').match(/FORGED/g)).toHaveLength(2)
})

test('Z4 neither is a line that it changes, whatever times it sets back', async () => {
  const { path, end } = await sessionDuring()
  const [header = '', line = ''] = readFileSync(path, 'utf8').split('\n')
  const { id } = JSON.parse(line) as { id: string }
  writeFileSync(path, `${header}\n${forged(id, 'evil')}`)
  end()
  expect(await readAgain(path)).toEqual([])
  expect(await readAgain(path, false)).toEqual([])
})

test('Z4 lines of a run that was killed count, and those of a command while the run has the session open do not', async () => {
  const end = beginCommand()
  const path = join(makeFolder(), 'chat.mtm')
  const file = await opened(createSession(path))
  await file.add({ type: 'cell', role: 'user', content: 'mine' })
  appendFileSync(path, forged('f1'))
  await file.add({ type: 'cell', role: 'user', content: 'later' })
  const left = readFileSync(path)
  const copy = `${path}.copy`
  writeFileSync(copy, left)
  await file.close()
  // As a kill leaves it.
  writeFileSync(path, left)
  end()
  expect(await readAgain(path, false)).toEqual(['mine', 'later'])
})

test('Z4 a fork made meanwhile, and a session that is renamed, are held as well', async () => {
  const { path, end } = await sessionDuring()
  const fork = await forkSession(path)
  const renamed = await renameSession(path, { name: 'other' })
  if (fork.kind !== 'forked' || renamed.kind !== 'moved') throw new Error('not made')
  for (const [index, each] of [fork.path, renamed.path].entries()) appendFileSync(each, forged(`f${index}`))
  end()
  expect(await readAgain(fork.path)).toEqual(['mine'])
  expect(await readAgain(renamed.path)).toEqual(['mine'])
})

test('Z4 lines that a person accepts, and those that the editor saves, are used', async () => {
  const { path, end } = await sessionDuring()
  appendFileSync(path, forged('f1', 'accepted'))
  expect(await foreignRecords(path)).toMatchObject({ records: [{ id: 'f1' }] })
  expect(await acceptForeign(path)).toMatchObject({ kind: 'accepted' })
  appendFileSync(path, forged('f2', 'saved'))
  sealSaved(path)
  expect(await readAgain(path)).toEqual(['mine', 'accepted', 'saved'])
  end()
  expect(await readAgain(path, false)).toEqual(['mine', 'accepted', 'saved'])
})

test('Z4 a session from a colleague, or from before the command, opens as always', async () => {
  const path = join(makeFolder(), 'chat.mtm')
  const file = await opened(createSession(path))
  await file.add({ type: 'cell', role: 'user', content: 'mine' })
  await file.close()
  appendFileSync(path, forged('f1', 'from a colleague'))
  const end = beginCommand()
  expect(await readAgain(path, false)).toEqual(['mine', 'from a colleague'])
  end()
  const { path: other, end: endOther } = await sessionDuring()
  endOther()
  await readAgain(other, false)
  appendFileSync(other, forged('f2', 'from a colleague'))
  expect(await readAgain(other)).toEqual(['mine', 'from a colleague'])
})

test('Z4 a command that cannot see a session seals nothing; one whose user opened the folder does', async () => {
  const [folder, elsewhere] = [makeFolder(), makeFolder()]
  const path = join(folder, 'a.mtm')
  for (const [roots, isSealed] of [
    [[elsewhere], false],
    [[elsewhere, realpathSync(folder)], true],
  ] as const) {
    const end = beginCommand(elsewhere, [...roots])
    const file = await opened(createSession(path))
    appendFileSync(path, forged('x'))
    await file.close()
    expect([roots, (await readAgain(path)).includes('FORGED')]).toEqual([roots, !isSealed])
    end()
    rmSync(path)
  }
})
