import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renderResult } from '@mutsumi/context/parts'
import { textOf } from '@mutsumi/schema'
import { type Replay, replayRequest } from '@mutsumi/session'
import { openSession, type SessionFile, sha256 } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, Workspace } from '@mutsumi/tools'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../../test/support/folder.js'
import { Agent } from '../src/agent.js'
import { PlayedModel } from './support/agent.js'

const folder = fileURLToPath(new URL('old-sessions/', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.mtm'))

/** A copy, so that opening it for writing leaves the original alone. */
async function opened(name: string): Promise<SessionFile> {
  const root = makeFolder({ 'src/a.ts': 'export const a = 1\n', 'src/c.ts': 'export const c = 1\n' })
  const path = join(root, '.mutsumi/sessions', name)
  cpSync(join(folder, name), path)
  const opening = await openSession(path)
  if (opening.kind !== 'opened') throw new Error(JSON.stringify(opening))
  onTestFinished(() => opening.file.close())
  return opening.file
}

function replays(file: Pick<SessionFile, 'records' | 'snapshotText'>): readonly Replay[] {
  const sources = { textOf: (hash: string) => file.snapshotText(hash), hash: sha256, render: renderResult }
  return file.records.flatMap((record) =>
    record.type === 'request' ? replayRequest(file.records, { id: record.id }, sources) : [],
  )
}

describe.each(names)('a session of an earlier version: %s', (name) => {
  test('N4 every request is replayed byte for byte, as its recorded hash proves', async () => {
    const file = await opened(name)
    expect(file.notes).toEqual([])
    const all = replays(file)
    expect(all.length).toBeGreaterThanOrEqual(13)
    expect(all.map(({ kind }) => kind)).toEqual(all.map(() => 'request'))
    const text = JSON.stringify(all.at(-1))
    for (const part of ['Write c.', 'src/a.ts', 'src/c.ts']) expect(text).toContain(part)
  })

  test('N4 the hash notices one changed letter', async () => {
    const file = await opened(name)
    const records = file.records.map((record) =>
      record.type === 'step' ? { ...record, content: `${record.content}.` } : record,
    )
    const changed = replays({ records, snapshotText: (hash) => file.snapshotText(hash) })
    expect(changed.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['request', 'different']))
  })

  test('N4 the session continues: no sent request is lost, and the next one can be replayed too', async () => {
    const file = await opened(name)
    const before = readFileSync(file.path, 'utf8')
    const root = join(file.path, '../../..')
    const model = new PlayedModel(['Thought: ok\nAction: Finish[still here]'], { cache: { minutes: 5 } })
    const agent = await Agent.open({
      ...{ session: file, workspace: new Workspace({ root }), model, tools: builtInTools() },
      gate: new PermissionGate({ root, rules: [] }),
    })
    for await (const _ of agent.run('Are you there?'));
    const sent = model.requests[0]?.messages.map(textOf).join('\n') ?? ''
    for (const part of ['And @[src/a.ts] with @[src/c.ts]?', 'All of it.', 'Are you there?'])
      expect(sent).toContain(part)
    expect(readFileSync(file.path, 'utf8').startsWith(before)).toBe(true)
    const all = replays(file)
    expect(all.map(({ kind }) => kind)).toEqual(all.map(() => 'request'))
    expect(JSON.stringify(all.at(-1))).toContain('Are you there?')
  })
})
