import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeHeader, encodeRecord } from '@mutsumi/session'
import { createSession, listSessions, newHeader, openSession } from '@mutsumi/session/node'
import { compare, growth } from './measure.mjs'
import { milliseconds, row } from './report.mjs'

/** Sessions on a real disk. Continuing a long one costs as much as a new one, and opening little more than reading. */
export async function benchSession() {
  const root = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    return [...(await benchAppend(root)), ...(await benchOpen(root)), ...(await benchList(root))]
  } finally {
    rmSync(root, { recursive: true })
  }
}

async function benchAppend(root) {
  const long = join(root, 'long.mtm')
  writeSession(long, 100 * 1024 * 1024)
  const files = {
    empty: await opened(createSession(join(root, 'empty.mtm'))),
    long: await opened(openSession(long)),
  }
  const bare = await open(join(root, 'bare'), 'a')
  const cell = { type: 'cell', role: 'user', content: text(400) }
  const line = Buffer.from(`${encodeRecord({ ...cell, id: 'a-1', at: '2026-01-01T00:00:00.000Z' })}\n`)
  const times = await compare(
    {
      empty: () => files.empty.add(cell),
      long: () => files.long.add(cell),
      bare: async () => {
        await bare.write(line)
        await bare.datasync()
      },
    },
    { runs: 40, repeat: { empty: 10, long: 10, bare: 10 } },
  )
  for (const file of [files.empty, files.long, bare]) await file.close()
  const size = `${(statSync(long).size / 1e6).toFixed(0)} MB`
  return [
    row(
      'append to a 100 MB session against an empty one',
      times.long / times.empty,
      { atMost: 1.2 },
      `${milliseconds(times.long, times.empty)}, ${size}`,
    ),
    row(
      'append against a bare write and fdatasync',
      times.empty / times.bare,
      {},
      milliseconds(times.empty, times.bare),
    ),
  ]
}

async function benchOpen(root) {
  const paths = { one: join(root, 'one.mtm'), ten: join(root, 'ten.mtm') }
  writeRounds(paths.one, 1000)
  writeRounds(paths.ten, 10_000)
  const openAndClose = async (path) => {
    const file = await opened(openSession(path, { readOnly: true }))
    if (file.session.cells.length === 0) throw new Error('nothing was read')
    await file.close()
  }
  const bare = () =>
    readFileSync(paths.ten, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const options = { runs: 7, warmUp: 2 }
  const grown = await growth(
    () => openAndClose(paths.one),
    () => openAndClose(paths.ten),
    options,
  )
  const times = await compare({ open: () => openAndClose(paths.ten), bare }, options)
  // Closing a session that was open for writing makes its index.
  await (await opened(openSession(paths.ten))).close()
  const indexed = await compare({ open: () => openAndClose(paths.ten), bare }, options)
  const size = `${(statSync(paths.ten).size / 1e6).toFixed(0)} MB`
  return [
    row(
      'open 10 000 rounds against 1 000',
      grown.ratio,
      { atMost: 12 },
      `${milliseconds(grown.ten, grown.one)}, ${size}`,
    ),
    row(
      'open against a bare read and JSON.parse of each line',
      times.open / times.bare,
      { atMost: 3 },
      milliseconds(times.open, times.bare),
    ),
    row(
      'open with an index against the same',
      indexed.open / indexed.bare,
      { atMost: 1 },
      `${milliseconds(indexed.open, indexed.bare)}, an index of ${(statSync(`${paths.ten}.index`).size / 1e6).toFixed(1)} MB`,
    ),
  ]
}

async function benchList(root) {
  const folder = join(root, 'sessions')
  mkdirSync(folder)
  const count = 1000
  const size = 2 * 1024 * 1024
  writeSession(join(root, 'listed.mtm'), size)
  for (let number = 0; number < count; number++)
    linkSync(join(root, 'listed.mtm'), join(folder, `${number}.mtm`))
  const list = await listSessions(folder)
  const times = await compare({ list: () => listSessions(folder) }, { runs: 5, warmUp: 1 })
  return [
    row(
      'KiB read of each of 1 000 sessions in a list',
      list.bytesRead / count / 1024,
      { atMost: 128, unit: '' },
      `${list.bytesRead} of ${count * size} bytes, ${milliseconds(times.list)}`,
    ),
  ]
}

async function opened(opening) {
  const answer = await opening
  if (answer.kind !== 'opened') throw new Error(answer.message)
  return answer.file
}

/** A session of about so many bytes, in records of the size of tool results. */
function writeSession(path, size) {
  const lines = [encodeHeader(newHeader({ metadata: { title: 'long' } }))]
  for (let written = 0, number = 1; written < size; written += lines.at(-1).length + 1, number++)
    lines.push(
      encodeRecord({ type: 'cell', id: `w-${number}`, at: time(number), role: 'user', content: text(4000) }),
    )
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
}

/** A session's file with so many rounds as an agent records them: a question, two steps, a call, requests and usage. */
export function writeRounds(path, rounds) {
  const lines = [encodeHeader(newHeader({}))]
  for (let round = 1; round <= rounds; round++)
    for (const record of roundRecords(round)) lines.push(encodeRecord(record))
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
}

export function roundRecords(round) {
  const at = time(round)
  const cell = `c-${round}`
  const call = { id: 'call-1', name: 'Read', args: { path: `src/file-${round}.ts`, limit: 200 } }
  const named = (kind, fields) => ({ ...fields, id: `${kind}-${round}`, at })
  const request = (number) =>
    named(`q${number}`, {
      type: 'request',
      cell,
      number,
      keep: round * 2,
      add: [{ record: cell }],
      fingerprint: 'f'.repeat(64),
    })
  return [
    named('c', { type: 'cell', role: 'user', content: text(300) }),
    request(1),
    named('s1', { type: 'step', cell, step: 1, content: text(200), calls: [call] }),
    named('i', { type: 'intent', cell, step: 1, call }),
    named('r', { type: 'result', cell, step: 1, call: call.id, tool: 'Read', content: text(1200) }),
    request(2),
    named('u', { type: 'usage', request: `q2-${round}`, input: 12_000, output: 300, cached: 11_000 }),
    named('s2', { type: 'step', cell, step: 2, content: text(600), final: true }),
  ]
}

function time(number) {
  return new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString()
}

const words = 'the file reads "lines" and writes\nthem back — each with its sum, in order; nothing is lost '

function text(length) {
  return words.repeat(Math.ceil(length / words.length)).slice(0, length)
}
