import type { McpServerConfig } from './mcp-server-config.js'
import type { McpServers } from './mcp-servers.js'

export interface McpOptions {
  /** The user trusts the workspace. Otherwise the servers in its own config are not started. */
  readonly trusted?: boolean
  /** The folder in which a server's process runs if it names none. */
  readonly cwd?: string
  readonly connectTimeoutMs?: number
  readonly callTimeoutMs?: number
  /** Stops waiting for servers that have not answered yet. */
  readonly signal?: AbortSignal
}

/** Starts servers in parallel. Never throws: a failed server has that status and does not affect the others. */
export async function connectMcpServers(
  configs: Readonly<Record<string, McpServerConfig>>,
  options: McpOptions = {},
): Promise<McpServers> {
  const names = Object.keys(configs)
  if (names.length === 0) return noServers
  // Loaded here, so that only runs with servers load the SDK and zod.
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
