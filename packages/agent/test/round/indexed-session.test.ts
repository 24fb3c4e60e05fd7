import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentMessage, ModelRequest, SessionRecord } from '@mutsumi/schema'
import { encodeHeader, encodeRecord } from '@mutsumi/session'
import { newHeader, openSession, type SessionFile } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, Workspace } from '@mutsumi/tools'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeFolder } from '../../../../test/support/folder.js'
import { Agent } from '../../src/agent.js'

const rounds = 400
const at = (round: number) => new Date(Date.UTC(2026, 0, 1) + round * 60_000).toISOString()

/** A round with a call whose id others have too. Some define macros, mention files or write todo lists. */
function roundRecords(round: number): readonly SessionRecord[] {
  const cell = `c-${round}`
  const tool = round % 50 === 7 ? 'TodoWrite' : 'Read'
  const call = { id: `call-${round % 30}`, name: tool, args: { path: `file-${round % 9}.txt` } }
  const about = { at: at(round), cell, step: 1 }
  const text = round % 20 === 3 ? `#define PART part ${round}\nGo on with {{PART}}` : `Question ${round}`
  const data =
    tool === 'TodoWrite'
      ? { recap: `[1/2] In progress: part ${round}` }
      : { path: call.args.path, content: `1\tline ${round} ${'word '.repeat(120)}`, file_mtime_ms: round }
  const sent = { number: 1, keep: 0, add: [], fingerprint: 'f', model: 'm' }
  return [
    {
      type: 'cell',
      id: cell,
      at: at(round),
      role: 'user',
      content: round % 10 === 5 ? `${text} @[a.ts]` : text,
    },
    {
      type: 'request',
      id: `q-${round}`,
      at: at(round),
      cell,
      ...sent,
      ...(round % 3 === 0 && { shortened: 4 }),
    },
    { type: 'step', id: `s-${round}`, ...about, content: 'I look.', calls: [call] },
    { type: 'intent', id: `i-${round}`, ...about, call: { id: call.id, name: tool } },
    {
      ...{ type: 'result', id: `r-${round}`, ...about, call: call.id, tool },
      content: JSON.stringify({ status: 'success', data }),
    },
    { type: 'usage', id: `u-${round}`, at: at(round), request: `q-${round}`, input: 900, output: 20 },
    { type: 'step', id: `e-${round}`, ...about, step: 2, content: `It says ${round}.`, final: true },
  ]
}

function compaction(round: number, cells: number): SessionRecord {
  const summary = `# Goals\n* **Goal**: part ${round}`
  return {
    ...{ type: 'compaction', id: `k-${round}`, at: at(round), last: `c-${cells}`, upToLast: `c-${round}` },
    compaction: { id: `k-${round}`, cells, upTo: round, compression: 'normal', summary },
  }
}

/** A long session in a folder, closed, so that it has an index. */
async function longSession(): Promise<string> {
  const path = join(makeFolder({ 'a.ts': 'export const a = 1\n' }), 'long.mtm')
  const records = Array.from({ length: rounds }, (_, index) => [
    ...roundRecords(index + 1),
    ...((index + 1) % 100 === 90 ? [compaction(index + 1, index - 9)] : []),
  ])
  const lines = [encodeHeader(newHeader({})), ...records.flat().map(encodeRecord)]
  writeFileSync(path, `${lines.join('\n')}\n`)
  await (await opened(path)).close()
  return path
}

async function opened(path: string, readOnly = false): Promise<SessionFile> {
  const opening = await openSession(path, { readOnly })
  if (opening.kind !== 'opened') throw new Error(opening.message)
  onTestFinished(() => opening.file.close().catch(() => undefined))
  return opening.file
}

async function agentOf(session: SessionFile, root: string, { now = rounds }: { now?: number } = {}) {
  const requests: ModelRequest[] = []
  const agent = await Agent.open({
    session,
    workspace: new Workspace({ root }),
    tools: builtInTools(),
    gate: new PermissionGate({ root }),
    now: () => Date.parse(at(now)),
    model: {
      name: 'm',
      callsTools: true,
      async *stream(request) {
        requests.push(request)
        yield { type: 'text', text: 'Well.' }
        yield { type: 'end', reason: 'stop' }
      },
    },
  })
  return { agent, requests }
}

async function nextMessages(path: string, now: number): Promise<readonly AgentMessage[]> {
  const session = await opened(path, true)
  const { agent } = await agentOf(session, join(path, '..'), { now })
  const { messages } = await agent.next()
  await session.close()
  return messages
}

describe('a long session with an index', () => {
  it('N2 the next request is the same with and without it, with a warm cache and a cold one', async () => {
    const path = await longSession()
    expect(existsSync(`${path}.index`)).toBe(true)
    const nows = [rounds + 1, rounds + 600]
    const withIndex = [await nextMessages(path, rounds + 1), await nextMessages(path, rounds + 600)]
    rmSync(`${path}.index`)
    for (const [index, now] of nows.entries()) expect(withIndex[index]).toEqual(await nextMessages(path, now))
    expect(JSON.stringify(withIndex[0])).toContain('In progress: part 357')
  })

  it('N2 lines outside the view are not parsed, and undoing compactions brings everything back', async () => {
    const path = await longSession()
    const session = await opened(path)
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const { agent, requests } = await agentOf(session, join(path, '..'))
    for await (const _ of agent.run('And now?'));
    const results = parse.mock.calls.filter(([text]) => text.startsWith('{"type":"result"'))
    parse.mockRestore()
    expect(results.length).toBeGreaterThan(10)
    expect(results.length).toBeLessThan(60)
    for (const round of [390, 290, 190, 90])
      await session.add({ type: 'compaction', compaction: { undo: `k-${round}` } })
    for await (const _ of agent.run('And before?'));
    expect(requests[1]?.messages.length).toBeGreaterThan(rounds * 3)
    const again = await opened(path, true)
    expect(again.session.cells.at(-1)?.content).toBe('And before?')
  })
})
