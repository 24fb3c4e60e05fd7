// An agent in your own program: a workspace, a session, a model and a gate in, events out: npm run example 02-agent
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@mutsumi/agent'
import { createOfflineModel } from '@mutsumi/model'
import { createSession } from '@mutsumi/session/node'
import { builtInTools, PermissionGate, Workspace } from '@mutsumi/tools'

const root = mkdtempSync(join(tmpdir(), 'mutsumi-example-'))
writeFileSync(join(root, 'greet.ts'), 'export function greet(name: string) {\n  return "Hello, " + name\n}\n')

// The session is a file that `mutsumi sessions`, `replay` and `context` open too.
const opening = await createSession(join(root, '.mutsumi', 'sessions', 'example.mtm'))
if (opening.kind !== 'opened') throw new Error(opening.message)

const agent = await Agent.open({
  session: opening.file,
  workspace: new Workspace({ root }),
  // This model needs no key and no network. `openModel` of the same package opens a real one.
  model: createOfflineModel(),
  tools: builtInTools(),
  // Nobody can be asked here, so only tools that read may run.
  gate: new PermissionGate({ root }),
})

for await (const event of agent.run('Where is greet defined?')) {
  if (event.type === 'tool-end') console.log(`${event.name}: ${event.status}: ${event.line}`)
  if (event.type === 'round-end') console.log(`${event.status}\n${event.answer}`)
}

const { cells } = opening.file.session
console.log(
  `recorded: ${cells[0]?.metadata?.mutsumi_interaction?.length} messages in answer to "${cells[0]?.content}"`,
)
await opening.file.close()
rmSync(root, { recursive: true })
