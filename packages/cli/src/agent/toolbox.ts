import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  connectMcpServers,
  findMcpServers,
  type LazyTool,
  openPermissionStore,
  PermissionGate,
  parsePermissionRules,
  type RuleSet,
  type Tool,
  userConfigFolder,
  type Workspace,
} from '@mutsumi/tools'
import { openWorkspace, type Place } from '../host.js'
import { serverFolder } from '../mcp-servers.js'
import { UsageError } from '../terminal/failure.js'
import { printNote } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import type { ConfigFiles } from './config-files.js'

/** What an agent works with in a workspace. */
export interface Toolbox {
  readonly workspace: Workspace
  readonly tools: readonly (Tool | LazyTool)[]
  readonly gate: PermissionGate
  /** Ends the servers that were started for it. */
  close(): Promise<void>
}

export interface ToolboxOptions extends Place {
  readonly config: ConfigFiles
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** Servers are not waited for any longer, and end. */
  readonly stop: AbortSignal
}

export async function openToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { root, trusted, allow, deny } = options
  const { workspace, tools, warnings } = await openWorkspace({ root, trusted })
  for (const { message } of warnings) printNote(message)
  const servers = await startServers(workspace, options)
  return {
    workspace,
    tools: [...tools, ...servers.tools],
    gate: await openGate(root, { allow: rulesOf('--allow', allow), deny: rulesOf('--deny', deny) }),
    close: servers.close,
  }
}

/** Servers that a config names. Most configs name none, and then nothing of it is loaded. */
async function startServers(
  workspace: Workspace,
  { trusted, config, stop }: Pick<ToolboxOptions, 'trusted' | 'config' | 'stop'>,
) {
  if (config.user.mcpServers === undefined && config.project.mcpServers === undefined)
    return { tools: [], close: async () => undefined }
  const { servers, problems } = await findMcpServers({ workspace })
  for (const problem of problems) printNote(`mutsumi: ${problem}`)
  const connecting = connectMcpServers(servers, {
    trusted,
    cwd: serverFolder({ root: workspace.root, trusted }),
    signal: stop,
  })
  const connected = await withProgress('Connecting to the MCP servers', connecting)
  if (stop.aborted) await connected.close()
  stop.throwIfAborted()
  for (const { name, state, reason } of connected.status)
    if (state !== 'ready') printNote(`mutsumi: the MCP server ${name} is not there: ${reason}`)
  return { tools: connected.tools, close: () => connected.close() }
}

async function openGate(root: string, rules: RuleSet): Promise<PermissionGate> {
  const hasStore = existsSync(join(userConfigFolder(), 'permissions.json'))
  const store = hasStore ? { store: await openPermissionStore() } : {}
  return new PermissionGate({ root, rules: [rules], onWarning: printNote, ...store })
}

function rulesOf(flag: string, lists: readonly string[]): RuleSet['allow'] {
  return lists.flatMap(parsePermissionRules).map((rule) => {
    if (rule.kind === 'rule') return rule.rule
    throw new UsageError(`${flag}: ${rule.message}`)
  })
}
