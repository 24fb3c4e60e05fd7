import { join } from 'node:path'
import { SessionLog } from '@mutsumi/agent/parts'
import type { AgentMessage, AgentMetadata } from '@mutsumi/schema'
import { createSession, openSession, type SessionFile, sessionsFolder } from '@mutsumi/session/node'
import { onTestFinished } from 'vitest'
import { makeFolder } from './command.js'

export interface StoredSessionOptions {
  readonly name?: string
  readonly rounds?: number
  readonly metadata?: AgentMetadata
  /** The question and the answer of a round, from 1. */
  readonly round?: (number: number) => { readonly question: string; readonly answer: string }
}

const plainRound = (number: number) => ({
  question: `Question ${number}`,
  answer: `Answer to Question ${number}`,
})

/** A workspace with sessions in it, each with so many rounds of one question and one answer. */
export async function workspaceWith(...sessions: readonly StoredSessionOptions[]): Promise<string> {
  const folder = makeFolder()
  for (const session of sessions) await addSession(folder, session)
  return folder
}

/** Adds a session to a workspace; answers with its path. */
export async function addSession(
  folder: string,
  { name = 'talk.mtm', rounds = 1, metadata = {}, round: roundOf = plainRound }: StoredSessionOptions = {},
): Promise<string> {
  const path = join(sessionsFolder(folder), name)
  const file = opened(await createSession(path, { metadata }))
  for (let round = 1; round <= rounds; round++) await addRound(file, roundOf(round))
  await file.close()
  return path
}

async function addRound(
  file: SessionFile,
  { question, answer }: ReturnType<typeof plainRound>,
): Promise<void> {
  const { id } = await file.add({ type: 'cell', role: 'user', content: question })
  await file.add({ type: 'step', cell: id, step: 1, content: answer, final: true })
}

/** Opens a session for writing until the test is over. */
export async function writer(path: string): Promise<SessionFile> {
  const file = opened(await openSession(path))
  onTestFinished(() => file.close())
  return file
}

/** A round of two requests with a tool between them, recorded as the agent does it; answers with both requests. */
export async function addToolRound(file: SessionFile, question: string): Promise<readonly AgentMessage[][]> {
  const log = new SessionLog(file)
  const call = { id: 'call_1', name: 'Read', args: { path: 'a.ts' } }
  const observed = `{"status":"success","text":"${'whole '.repeat(50)}"}`
  const { id: cell } = await log.cell(question)
  const first: AgentMessage[] = [
    { role: 'system', content: 'You are Mutsumi.\nBe brief.' },
    { role: 'user', content: question },
  ]
  const about = { cell, model: 'test/model' }
  await log.usage(await log.request(first, { ...about, number: 1 }), { input: 1200, output: 30, cached: 800 })
  await log.step(cell, 1, { content: 'I read it.', calls: [call] })
  await log.intent(cell, 1, call)
  await log.result(cell, 1, { call, content: '{"status":"success"}', observed })
  const second: AgentMessage[] = [
    ...first,
    { role: 'assistant', content: 'I read it.', metadata: { calls: [call] } },
    { role: 'tool', content: observed, metadata: { call_id: call.id } },
  ]
  await log.usage(await log.request(second, { ...about, number: 2 }), { input: 1300, output: 12 })
  await log.step(cell, 2, { content: 'It exports a.', final: true })
  return [first, second]
}

/** A tool was about to run when its program was killed. */
export async function addInterruptedRound(file: SessionFile, question: string): Promise<void> {
  const call = { id: 'call_1', name: 'Bash', args: { command: 'npm publish' } }
  const { id: cell } = await file.add({ type: 'cell', role: 'user', content: question })
  await file.add({ type: 'step', cell, step: 1, content: 'I publish it.', calls: [call] })
  await file.add({ type: 'intent', cell, step: 1, call })
}

function opened(opening: Awaited<ReturnType<typeof openSession>>): SessionFile {
  if (opening.kind !== 'opened') throw new Error(opening.message)
  return opening.file
}
