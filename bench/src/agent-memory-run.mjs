// Runs rounds of a session, each with real Reads of real files that changed since: FOLDER ROUNDS READS LINES [WINDOW].
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Agent } from '@mutsumi/agent'
import { defaultSettings } from '@mutsumi/context'
import { createSession, openSession } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, Workspace } from '@mutsumi/tools'

const [folder = '', ...numbers] = process.argv.slice(2)
const [rounds, reads, lines, contextWindow = defaultSettings.contextWindow] = numbers.map(Number)
const names = 40
const started = performance.now()
const session = await sessionIn(join(folder, 'session.mtm'))
const agent = await Agent.open({
  session,
  workspace: new Workspace({ root: folder }),
  tools: builtInTools(),
  gate: new PermissionGate({ root: folder }),
  settings: { ...defaultSettings, contextWindow },
  model: { name: 'bench', callsTools: false, stream: reply },
})
let output = 0
let compactions = 0
/** Milliseconds of processor time per round. The work of other programs is not included. */
const times = []
limitHeap()
const first = session.session.cells.length
for (let round = first; round < first + rounds; round++) {
  const paths = Array.from({ length: reads }, (_, read) => `file-${(round * reads + read) % names}.txt`)
  for (const path of paths) writeFileSync(join(folder, path), textOf(round, path))
  const begun = process.cpuUsage()
  for await (const event of agent.run(`What do these say? ${paths.join(' ')}`)) {
    if (event.type === 'tool-end' && event.status === 'success') output += lines * 100
    if (event.type === 'compaction-end') compactions++
    if (event.type === 'round-end' && event.status !== 'done') throw new Error(event.message)
  }
  const { user, system } = process.cpuUsage(begun)
  times.push((user + system) / 1000)
}
await session.close()
process.send?.({
  peak: (process.resourceUsage().maxRSS * 1024) / 1e6,
  output: output / 1e6,
  compactions,
  times,
  seconds: (performance.now() - started) / 1000,
})
process.disconnect?.()

/** As a conversation does: `heap-limits.ts` in the command. */
function limitHeap() {
  const version = Number.parseInt(process.versions.v8, 10)
  if (version < 11 || version > 13) return
  setFlagsFromString('--heap-growing-percent=25')
  setFlagsFromString('--semi-space-growth-factor=1')
}

async function sessionIn(path) {
  const opening = await (existsSync(path) ? openSession(path) : createSession(path))
  if (opening.kind !== 'opened') throw new Error(opening.message)
  return opening.file
}

/** Reads one file after the other, then answers. Writes a summary if the request asks for one. */
async function* reply({ messages }) {
  yield { type: 'text', text: textFor(messages) }
  yield { type: 'usage', usage: { input: Math.ceil(lengthOf(messages) / 3), output: 20 } }
  yield { type: 'end', reason: 'stop' }
}

function textFor(messages) {
  const asked = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.startsWith('What do these'),
  )
  if (asked < 0) return 'The user asked what files say, one after the other, and got an answer.'
  const paths = messages[asked].content.match(/file-\d+\.txt/g)
  const next = paths[messages.slice(asked).filter(({ role }) => role === 'tool').length]
  return next === undefined
    ? 'Thought: I know.\nAction: Finish[They say many things.]'
    : `Thought: read it\nAction: Read[{"path": "${next}", "limit": 2000}]`
}

function lengthOf(messages) {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}

/** Lines of 100 characters, different ones in each round. */
function textOf(round, path) {
  const line = (number) => `${path} ${round} ${number} `.padEnd(99, 'abc def ')
  return `${Array.from({ length: lines }, (_, number) => line(number)).join('\n')}\n`
}
