import type { McpServerConfig } from './mcp-server-config.js'
import type { McpServers } from './mcp-servers.js'

export interface McpOptions {
  /** The user vouches for the workspace. Until then the servers that it names itself are not started. */
  readonly trusted?: boolean
  /** Where a server's process runs that names no folder itself. */
  readonly cwd?: string
  readonly connectTimeoutMs?: number
  readonly callTimeoutMs?: number
  /** Ends the waiting for servers that have not answered yet. */
  readonly signal?: AbortSignal
}

/** Starts servers side by side. Never throws: a server that fails says so in its status, and harms no other. */
export async function connectMcpServers(
  configs: Readonly<Record<string, McpServerConfig>>,
  options: McpOptions = {},
): Promise<McpServers> {
  const names = Object.keys(configs)
  if (names.length === 0) return noServers
  // Only here: the SDK and zod are loaded by those who use a server.
  const { McpSession } = await import('./mcp-session.js')
  const { cwd = process.cwd(), connectTimeoutMs = 30_000, callTimeoutMs = 120_000 } = options
  const session = new McpSession(configs, {
    cwd,
    connectTimeoutMs,
    callTimeoutMs,
    trusted: options.trusted ?? false,
    signal: options.signal,
  })
  await session.start()
  return session
}

const noServers: McpServers = {
  status: [],
  tools: [],
  refresh: async () => false,
  close: async () => undefined,
}
