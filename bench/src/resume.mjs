// The cost of continuing a session of 10 000 rounds: opening it, up to the messages of the first request.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@mutsumi/agent'
import { encodeHeader, encodeRecord } from '@mutsumi/session'
import { newHeader, openSession } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, Workspace } from '@mutsumi/tools'
import { compare } from './measure.mjs'
import { milliseconds, row } from './report.mjs'
import { roundRecords } from './session.mjs'

/** All are compared with a bare `readFileSync` and `JSON.parse` of each line in the same run. */
export async function benchResume() {
  const folder = mkdtempSync(join(tmpdir(), 'mutsumi-bench-'))
  try {
    const compacted = join(folder, 'compacted.mtm')
    writeCompacted(compacted, 10_000)
    const rows = [await resumed(folder, compacted, { isIndexed: false })]
    await (await opened(compacted)).close()
    return [...rows, await resumed(folder, compacted, { isIndexed: true })]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function resumed(folder, path, { isIndexed }) {
  const works = {
    resume: () => firstRequest(folder, path),
    bare: () =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
  const times = await compare(works, { runs: 7, warmUp: 2 })
  return row(
    `resume 10 000 rounds, open to first request, against bare JSON.parse${isIndexed ? '' : ', without an index'}`,
    times.resume / times.bare,
    isIndexed ? { atMost: 1 } : {},
    `${milliseconds(times.resume, times.bare)}, ${(statSync(path).size / 1e6).toFixed(0)} MB`,
  )
}

/** The request is built, and nothing is recorded or sent. */
async function firstRequest(folder, path) {
  const session = await opened(path, { readOnly: true })
  const agent = await Agent.open({
    session,
    workspace: new Workspace({ root: folder }),
    tools: builtInTools(),
    gate: new PermissionGate({ root: folder }),
    model: { name: 'bench', callsTools: true, stream: notAsked },
  })
  const { messages } = await agent.next()
  if (messages.length < 20 || messages.length > 200) throw new Error(`${messages.length} messages are sent`)
  await session.close()
}

function notAsked() {
  throw new Error('a model is asked')
}

async function opened(path, options) {
  const opening = await openSession(path, options)
  if (opening.kind !== 'opened') throw new Error(opening.message)
  return opening.file
}

/** Rounds as an agent records them, with a compaction after every hundred. */
function writeCompacted(path, rounds) {
  const lines = [encodeHeader(newHeader({}))]
  for (let round = 1; round <= rounds; round++) {
    for (const record of roundRecords(round)) lines.push(encodeRecord(record))
    if (round % 100 === 90) lines.push(encodeRecord(compactionAfter(round)))
  }
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
}

function compactionAfter(round) {
  const cells = round - 10
  const summary = `# Goals\n* **Goal**: go on with part ${round}\n\n# Key insights\n* nothing is lost\n`
  return {
    type: 'compaction',
    id: `k-${round}`,
    at: new Date(Date.UTC(2026, 0, 1) + round * 1000).toISOString(),
    compaction: { id: `k-${round}`, cells, upTo: round, compression: 'normal', summary, asked: `c-${round}` },
    last: `c-${cells}`,
    upToLast: `c-${round}`,
  }
}
