import { renderResult } from '@mutsumi/context/parts'
import { shellPath } from '@mutsumi/host'
import { safeJson } from '@mutsumi/schema'
import { type Replay, replayRequest } from '@mutsumi/session'
import { type SessionFile, sha256 } from '@mutsumi/session/node'
import { drawReplay, drawRequests } from '../drawing/draw-replay.js'
import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { findSession } from '../sessions/find-session.js'
import { withStoredSession } from '../sessions/open-stored.js'
import { sentRequests } from '../sessions/sent-requests.js'
import { Failure, UsageError } from '../terminal/failure.js'
import { printDocument, printLine, printReport } from '../terminal/output.js'
import { say } from '../words/say.js'

/** A request of a round: one of its own by number, or one for a summary. */
export interface WhichRequest {
  readonly request?: number
  readonly purpose?: 'summary'
}

interface ReplayOptions extends WorkspaceFlags {
  readonly round?: number
  readonly request?: WhichRequest
  readonly json?: boolean
}

/** `mutsumi replay`: a request as it was sent, rebuilt from the file and proved by its fingerprint. */
export async function runReplay(name: string, options: ReplayOptions): Promise<void> {
  if (options.request !== undefined && options.round === undefined)
    throw new UsageError(say`--request is counted within a round: add --round N`)
  const path = await findSession(name, workspaceFolder(options.C))
  await withStoredSession(path, (file) =>
    options.round === undefined ? list(file, options) : show(file, options.round, options),
  )
}

function list(file: SessionFile, { json }: ReplayOptions): void {
  const requests = sentRequests(file)
  if (json) return printLine(safeJson({ session: file.path, requests }))
  if (requests.length === 0) return printLine(say`No request is recorded in this session.`)
  printReport(drawRequests(requests))
  printLine(say`\nTo see one: mutsumi replay ${shellPath(file.path)} --round N [--request K]`)
}

function show(file: SessionFile, round: number, { request, json }: ReplayOptions): void {
  const replay = replayRequest(
    file.records,
    { round, ...request },
    { textOf: (hash) => file.snapshotText(hash), hash: sha256, render: renderResult },
  )
  if (replay.kind !== 'request') return refuse(replay, file, json)
  const about = sentRequests(file).find(({ id }) => id === replay.record.id)
  const { messages, sent, record } = replay
  const { fingerprint } = record
  if (json)
    return printLine(safeJson({ messages, ...(sent ? { sent } : {}), fingerprint, verified: true, ...about }))
  printDocument(drawReplay(messages, { fingerprint, ...about, ...(sent ? { sent } : {}) }))
}

/** A request that could not be proved is not shown to people; a program gets the data and the verdict. */
function refuse(
  replay: Exclude<Replay, { kind: 'request' }>,
  file: SessionFile,
  json: boolean | undefined,
): void {
  const problem = problemOf(replay, file)
  if (json && replay.kind !== 'not-found') {
    const { record } = replay
    const { notes: warnings } = file
    const found =
      replay.kind === 'different' ? { messages: replay.messages } : { messages: null, missing: replay.name }
    printLine(safeJson({ ...found, fingerprint: record.fingerprint, verified: false, problem, warnings }))
  }
  throw new Failure(problem)
}

/** For a text beside the session: also its file, and what is wrong with it. */
function problemOf(replay: Exclude<Replay, { kind: 'request' }>, file: SessionFile): string {
  if (replay.kind !== 'missing' || replay.what === 'record') return replay.message
  const reading = file.readSnapshot(replay.name)
  return reading.kind === 'fault' ? `${replay.message}. ${reading.message}` : replay.message
}
