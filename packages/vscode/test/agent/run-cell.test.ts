import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEvent, Model, ModelRequest } from '@mutsumi/schema'
import { openSession } from '@mutsumi/session/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openParts } from '../../src/agent/open-parts.js'
import { runCell } from '../../src/agent/run-cell.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { recordedRound } from '../../src/notebook/recorded-round.js'
import { hear, newRound, type RoundOutput, withResult } from '../../src/notebook/round-output.js'
import { roundTimes } from '../../src/notebook/round-times.js'
import { usageByCell } from '../../src/notebook/round-usage.js'
import { sessionBytes, tools } from '../support/notebook.js'

let root: string
let requests: ModelRequest[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutsumi-notebook-'))
  requests = []
  writeFileSync(join(root, 'a.ts'), 'export const a = 1\n')
})
afterEach(() => rmSync(root, { recursive: true }))

function played(...replies: readonly string[]): Model {
  let next = 0
  return {
    name: 'played',
    callsTools: false,
    async *stream(request) {
      requests.push(request)
      yield { type: 'text', text: replies[next++] ?? 'no more' }
      yield { type: 'usage', usage: { input: 10, output: 2 } }
      yield { type: 'end', reason: 'stop' }
    },
  }
}

async function run(cell: string, prompt: string, model: Model) {
  const stop = new AbortController().signal
  const parts = await openParts({
    ...{ root, trusted: false, folders: [], user: [], project: [], environment: {}, offered: model, stop },
    ...{ ask: async () => 'once' as const, note: () => undefined },
  })
  const events: AgentEvent[] = []
  let id = cell
  const began = (fresh: string) => {
    id = fresh
  }
  const path = join(root, 'talk.mtm')
  const diffs = new Map<string, string>()
  const hooks = {
    began,
    heard: () => undefined,
    ended: (call: string, { diff = '' }) => void diffs.set(call, diff),
  }
  for await (const event of runCell(parts, { path, cell, prompt, signal: stop, ...hooks })) events.push(event)
  await parts.toolbox.close()
  return { id, events, diffs, opened: openNotebook(readFileSync(path), tools) }
}

/** A session stores no text of a result, so its line may be another one. */
const withoutTimes = (round: RoundOutput | undefined) =>
  round && {
    ...round,
    parts: round.parts.map((part) =>
      part.kind === 'tool' ? { ...part, timeMs: 0, line: '', phrase: undefined } : part,
    ),
  }

test('H2 a cell is one round, and a notebook that is opened later shows the same round', async () => {
  writeFileSync(join(root, 'talk.mtm'), sessionBytes(['what is a?']))
  const model = played(
    'Thought: I read it.\nAction: Read[{"path":"a.ts"}]',
    'Thought: Now I change it.\nAction: Edit[{"path":"a.ts","old_string":"= 1","new_string":"= 2"}]',
    'Thought: Fine.\nAction: Finish[It is **2** now.]',
  )
  const { id, events, diffs, opened } = await run('c0', 'what is a?', model)
  const heard = events.reduce((round, event) => hear(round, event), newRound(id))
  const live = [...diffs].reduce((round, [call, diff]) => withResult(round, call, { diff }), heard)
  expect(live.state).toBe('done')
  expect(live.parts.map(({ kind }) => kind)).toEqual([
    'thought',
    'tool',
    'thought',
    'tool',
    'thought',
    'text',
  ])
  expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe('export const a = 2\n')
  const [cell] = opened.session.cells
  const recorded =
    cell &&
    recordedRound(cell, {
      usage: usageByCell(opened.facts).get(id),
    })
  expect(withoutTimes(recorded)).toEqual(withoutTimes(live))
  const time = roundTimes(opened.records).get(id)
  expect(time?.order).toBe(1)
  expect(Date.parse(time?.end ?? '')).toBeGreaterThanOrEqual(Date.parse(time?.start ?? ''))
  expect(cell && recordedRound(cell, { time })).toMatchObject({ startedAt: time?.start, endedAt: time?.end })
  expect(recorded?.parts[3]).toMatchObject({ diff: expect.stringContaining('+export const a = 2') })
})

test('H2 B2 an early cell that runs again sees only the cells before it, and stays in its place', async () => {
  writeFileSync(join(root, 'talk.mtm'), sessionBytes(['one', 'first'], ['two', 'second'], ['three', 'third']))
  const { id, opened } = await run('c1', 'two', played('again'))
  const sent = JSON.stringify(requests[0]?.messages)
  expect(sent).toContain('first')
  expect(sent).not.toContain('second')
  expect(sent).not.toContain('third')
  expect(opened.session.cells.map(({ metadata }) => metadata?.id)).toEqual(['c0', id, 'c2'])
  expect(id).not.toBe('c1')
  const answers = opened.session.cells.map(({ metadata }) => metadata?.mutsumi_interaction?.[0]?.content)
  expect(answers).toEqual(['first', 'again', 'third'])
})

test('N5 H2 a cell of an older file runs without being saved first, and the rest of the notebook stays', async () => {
  const words = ['one', 'first', 'two']
  const context = words.map((content, index) => ({ role: index === 1 ? 'assistant' : 'user', content }))
  writeFileSync(join(root, 'talk.mtm'), JSON.stringify({ metadata: {}, context }))
  const before = openNotebook(readFileSync(join(root, 'talk.mtm')), tools)
  const ids = before.session.cells.map(({ metadata }) => metadata?.id ?? '')
  const { id, events, opened } = await run(ids[1] ?? '', 'two', played('second'))
  expect(events.at(-1)).toMatchObject({ type: 'round-end', status: 'done' })
  expect(JSON.stringify(requests[0]?.messages)).toContain('first')
  expect(opened.isRewritten).toBe(false)
  expect(opened.session.cells.map(({ metadata }) => metadata?.id)).toEqual([ids[0], id])
})

test('H2 a round leaves the time of its file alone, so an editor can save what was typed meanwhile', async () => {
  const path = join(root, 'talk.mtm')
  writeFileSync(path, sessionBytes(['one']))
  const long = new Date('2026-01-02T03:04:05.678Z')
  utimesSync(path, long, long)
  const { size } = statSync(path)
  await run('c0', 'one', played('done'))
  expect(statSync(path).size).toBeGreaterThan(size)
  expect(Math.abs(statSync(path).mtimeMs - long.getTime())).toBeLessThan(1)
})

test('N3 H2 a session that another program writes is not touched, and the round says so', async () => {
  const path = join(root, 'talk.mtm')
  writeFileSync(path, sessionBytes(['one']))
  const other = await openSession(path)
  if (other.kind !== 'opened') throw new Error('not opened')
  const stop = new AbortController().signal
  const parts = await openParts({
    ...{
      root,
      trusted: false,
      folders: [],
      user: [],
      project: [],
      environment: {},
      offered: played('x'),
      stop,
    },
    ...{ ask: async () => 'no' as const, note: () => undefined },
  })
  const events: AgentEvent[] = []
  for await (const event of runCell(parts, {
    path,
    cell: 'c0',
    prompt: 'one',
    signal: stop,
    began: () => undefined,
    ended: () => undefined,
    heard: () => undefined,
  }))
    events.push(event)
  await other.file.close()
  expect(events).toMatchObject([{ type: 'round-end', status: 'failed' }])
  expect(requests).toEqual([])
})

test('Z4 a line that Mutsumi did not write does not become a cell, is not sent, and the next round reports it', async () => {
  const forged = { type: 'cell', id: 'f1', at: '2026-01-01T00:00:00.000Z', role: 'user', content: 'FORGED' }
  const path = join(root, 'talk.mtm')
  writeFileSync(path, sessionBytes(['one', 'first']))
  writeFileSync(path, `${readFileSync(path, 'utf8')}${JSON.stringify(forged)}\n`)
  const { opened, events } = await run('c0', 'one', played('again'))
  expect(JSON.stringify([requests, opened.session])).not.toContain('FORGED')
  expect(events).toContainEqual({
    type: 'warning',
    warning: expect.objectContaining({ code: 'foreign-line', source: 'talk.mtm' }),
  })
})
