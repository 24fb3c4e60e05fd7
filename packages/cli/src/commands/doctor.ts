import { safeJson, safeLine } from '@mutsumi/schema'
import { describeSandbox, detectSandbox, userConfigFolder } from '@mutsumi/tools'
import { openHost, placeOf } from '../host.js'
import { examineServers, type ServerFinding } from '../mcp-servers.js'
import type { WorkspaceOptions } from '../options.js'
import { printLine } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'

/** `mutsumi doctor`: what this machine gives us, and what that means. */
export async function runDoctor(options: WorkspaceOptions & { readonly json?: boolean }): Promise<void> {
  const { workspace, trusted } = await openHost(await placeOf(options))
  const examining = examineServers({ workspace, trusted })
  const { servers, problems } = await withProgress('Connecting to the MCP servers', examining)
  const machine = {
    node: process.version,
    workspace: workspace.root,
    trusted: trusted ? 'yes' : 'no (mutsumi trust)',
    config: userConfigFolder(),
    sandbox: describeSandbox(await detectSandbox()),
    ripgrep: await describeRipgrep(),
  }
  if (options.json) return printLine(safeJson({ ...machine, mcp: servers, problems }))
  const say = (name: string, finding: string) => printLine(`${name.padEnd(10)} ${safeLine(finding)}`)
  for (const [name, finding] of Object.entries(machine)) say(name, finding)
  if (servers.length === 0) say('mcp', 'no servers (docs/guide/tools.md shows how to name one)')
  for (const server of servers) say('mcp', describeServer(server))
  for (const problem of problems) say('problem', problem)
}

function describeServer({ name, origin, state, reason, tools, warnings }: ServerFinding): string {
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`
  const notes = [state === 'ready' ? count : reason, ...warnings].filter((note) => note !== '')
  return `${name} (${origin}): ${[state, ...notes].join(', ')}`
}

async function describeRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return rgPath
  } catch {
    return 'not installed; Grep searches by itself, more slowly'
  }
}
