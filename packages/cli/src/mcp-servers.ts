import { homedir } from 'node:os'
import {
  connectMcpServers,
  findMcpServers,
  type McpServerConfig,
  type McpServerStatus,
  type Workspace,
} from '@mutsumi/tools'
import type { Place } from './host.js'

/** A server that a config names, and how it is doing. */
export interface ServerFinding extends Omit<McpServerStatus, 'state'> {
  readonly origin: McpServerConfig['origin']
  readonly state: McpServerStatus['state'] | 'disabled'
}

export interface ServerFindings {
  /** Sorted by name. */
  readonly servers: readonly ServerFinding[]
  readonly problems: readonly string[]
}

/** Where servers start. In a folder that is not trusted even `npx server` may start that folder's own program. */
export function serverFolder({ root, trusted }: Place): string {
  return trusted ? root : homedir()
}

/** Long enough for a server on this machine, short enough to wait for. */
const connectTimeoutMs = 10_000

/** Starts every server that may be started, asks how it is, and ends it. */
export async function examineServers({
  workspace,
  trusted,
}: {
  readonly workspace: Workspace
  readonly trusted: boolean
}): Promise<ServerFindings> {
  const { servers, disabled, problems } = await findMcpServers({ workspace })
  const cwd = serverFolder({ root: workspace.root, trusted })
  const connected = await connectMcpServers(servers, { trusted, cwd, connectTimeoutMs })
  const running = connected.status.map((status) => ({ ...status, origin: originOf(servers, status.name) }))
  await connected.close()
  const off = Object.entries(disabled).map(([name, { origin }]) => switchedOff(name, origin))
  return { servers: [...running, ...off].sort((one, other) => (one.name < other.name ? -1 : 1)), problems }
}

function originOf(servers: Readonly<Record<string, McpServerConfig>>, name: string) {
  return servers[name]?.origin ?? 'workspace'
}

function switchedOff(name: string, origin: McpServerConfig['origin']): ServerFinding {
  return { name, origin, state: 'disabled', reason: '', tools: [], warnings: [] }
}
