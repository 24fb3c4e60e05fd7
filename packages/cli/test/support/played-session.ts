import { join } from 'node:path'
import { Agent } from '@mutsumi/agent'
import { openScriptedModel } from '@mutsumi/model'
import type { ItemAct } from '@mutsumi/schema'
import { createSession, type SessionFile, sessionsFolder } from '@mutsumi/session/node'
import { countedCompaction } from '@mutsumi/session/parts'
import { builtInTools, Workspace } from '@mutsumi/tools'
import { makeFolder } from './command.js'
import { action, finish } from './scripted.js'

/** A round that has been: what was asked, and what the model called before it answered. */
export interface PlayedRound {
  readonly prompt: string
  readonly calls: readonly (readonly [name: string, args: object])[]
}

export interface PlayedSession {
  readonly rounds: readonly PlayedRound[]
  readonly acts?: readonly ItemAct[]
  /** How many cells have left the view. */
  readonly compacted?: number
}

/** Makes a session on disk: the agent plays its rounds with a scripted model, and may do everything. */
export async function playSession(
  root: string,
  { rounds, acts = [], compacted = 0 }: PlayedSession,
): Promise<string> {
  const path = join(sessionsFolder(root), 'talk.mtm')
  const opening = await createSession(path)
  if (opening.kind !== 'opened') throw new Error(opening.message)
  const { file } = opening
  if (rounds.length > 0) await play(root, rounds, file)
  for (const act of acts) await file.add({ type: 'act', act })
  const cells = Math.min(compacted, rounds.length)
  if (cells > 0) await addCompaction(cells, file)
  await file.close()
  return path
}

async function play(root: string, rounds: readonly PlayedRound[], session: SessionFile): Promise<void> {
  const replies = rounds.flatMap(({ calls }, index) => [
    ...calls.map(([name, args]) => action(name, args)),
    finish(`answer ${index + 1}`),
  ])
  const script = join(makeFolder({ 'script.json': JSON.stringify(replies) }), 'script.json')
  const agent = await Agent.open({
    ...{ session, workspace: new Workspace({ root }), tools: builtInTools() },
    model: await openScriptedModel(script),
    gate: { permit: async () => ({ granted: true }) },
  })
  for (const { prompt } of rounds)
    for await (const event of agent.run(prompt))
      if (event.type === 'round-end' && event.status !== 'done') throw new Error(event.message)
}

async function addCompaction(cells: number, file: SessionFile): Promise<void> {
  const all = file.session.cells
  const made = { id: 'played', at: '2026-11-18T00:00:00.000Z', compression: 'normal' } as const
  const compaction = { ...made, cells, upTo: all.length, summary: 'They talked.' }
  const names = all.map(({ metadata }) => metadata?.id)
  await file.add({ type: 'compaction', ...countedCompaction(compaction, names) })
}
