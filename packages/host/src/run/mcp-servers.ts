import {
  connectMcpServers,
  findMcpServers,
  type McpServerConfig,
  type McpServerStatus,
  type Workspace,
} from '@mutsumi/tools'
import { type ProjectFiles, readProjectFiles, userHome } from '@mutsumi/tools/parts'
import type { Place } from '../place/open-workspace.js'

/** A server that a config names, and its state. */
export interface ServerFinding extends Omit<McpServerStatus, 'state'> {
  readonly origin: McpServerConfig['origin']
  readonly state: McpServerStatus['state'] | 'disabled'
}

export interface ServerFindings {
  /** Sorted by name. */
  readonly servers: readonly ServerFinding[]
  readonly problems: readonly string[]
}

/** The folder in which servers start. In an untrusted one, even `npx server` might start that folder's own program. */
export function serverFolder({ root, trusted }: Pick<Place, 'root' | 'trusted'>): string {
  return trusted ? root : userHome()
}

/** Long enough for a server on this machine, and short enough for a waiting user. */
const connectTimeoutMs = 10_000

/** Starts every server that may be started, checks it, and ends it. */
export async function examineServers({
  workspace,
  trusted,
  files,
}: {
  readonly workspace: Workspace
  readonly trusted: boolean
  readonly files?: ProjectFiles
}): Promise<ServerFindings> {
  const { servers, disabled, problems } = await findMcpServers({ workspace, ...(files && { files }) })
  const cwd = serverFolder({ root: workspace.root, trusted })
  const connected = await connectMcpServers(servers, { trusted, cwd, connectTimeoutMs })
  const running = connected.status.map((status) => ({ ...status, origin: originOf(servers, status.name) }))
  await connected.close()
  const off = Object.entries(disabled).map(([name, { origin }]) => switchedOff(name, origin))
  return { servers: [...running, ...off].sort((one, other) => (one.name < other.name ? -1 : 1)), problems }
}

/** The servers that a workspace names itself. They do not start before the user trusts it. */
export async function workspaceServers(workspace: Workspace): Promise<readonly string[]> {
  const files = readProjectFiles(workspace.root)
  const isNamed =
    files.servers.kind === 'text' ||
    (files.config.kind === 'text' && files.config.text.includes('mcpServers'))
  if (!isNamed) return []
  const { servers } = await findMcpServers({ workspace, files })
  return Object.entries(servers).flatMap(([name, { origin }]) => (origin === 'workspace' ? [name] : []))
}

function originOf(servers: Readonly<Record<string, McpServerConfig>>, name: string) {
  return servers[name]?.origin ?? 'workspace'
}

function switchedOff(name: string, origin: McpServerConfig['origin']): ServerFinding {
  return { name, origin, state: 'disabled', reason: '', tools: [], warnings: [] }
}
