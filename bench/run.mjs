// npm run bench -- [NAME…] [FOLDER of transcripts]: every number as a ratio measured in one run, with the bound it must keep.
import { benchAgent } from './src/agent.mjs'
import { benchAgentMemory } from './src/agent-memory.mjs'
import { benchAgentPrefix } from './src/agent-prefix.mjs'
import { benchAssembly } from './src/assembly.mjs'
import { benchGhostBlock } from './src/ghost-block.mjs'
import { benchHistory } from './src/history.mjs'
import { benchMentions } from './src/mentions.mjs'
import { benchPreprocess } from './src/preprocess.mjs'
import { printRows } from './src/report.mjs'
import { benchResume } from './src/resume.mjs'
import { benchRounds } from './src/rounds.mjs'
import { benchSession } from './src/session.mjs'
import { benchStart } from './src/start.mjs'
import { benchTerminal } from './src/terminal.mjs'
import { benchTokens } from './src/tokens.mjs'
import { benchTools } from './src/tools.mjs'
import { benchTranscripts } from './src/transcripts.mjs'

const benches = {
  preprocess: benchPreprocess,
  ghost: benchGhostBlock,
  assembly: benchAssembly,
  rounds: benchRounds,
  history: benchHistory,
  tokens: benchTokens,
  tools: benchTools,
  session: benchSession,
  resume: benchResume,
  transcripts: () => benchTranscripts(folder),
  mentions: () => benchMentions(folder),
  start: benchStart,
  agent: benchAgent,
  prefix: benchAgentPrefix,
  memory: benchAgentMemory,
  terminal: benchTerminal,
}

// The corporate certificates that this variable names cost a Node process 30 ms before its first line.
delete process.env.NODE_EXTRA_CA_CERTS
const folder = process.argv.slice(2).find((argument) => argument.includes('/'))
const wanted = process.argv.slice(2).filter((argument) => argument !== folder)
const unknown = wanted.find((name) => !Object.hasOwn(benches, name))
if (unknown) {
  console.error(`unknown bench "${unknown}"; there are ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}
let held = true
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  held = printRows(name, await bench()) && held
}
process.exitCode = held ? 0 : 1
