/** A program on this machine that speaks MCP over its standard input and output. */
export interface StdioServerConfig {
  readonly command: string
  readonly args?: readonly string[]
  /** What the server needs beyond a bare environment, keys among it: none of ours is handed down. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that is reached by streamable HTTP. */
export interface HttpServerConfig {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** `origin` says whose word it is: a workspace's own servers are not started before the user trusts the folder. */
export type McpServerConfig = (StdioServerConfig | HttpServerConfig) & {
  readonly origin: 'user' | 'workspace'
  /** How long a call of its tools may take, where it is not what the session says. */
  readonly timeoutMs?: number
}

/** How a server is doing. */
export interface McpServerStatus {
  readonly name: string
  readonly state: 'ready' | 'failed'
  /** Why it failed; empty while it is ready. */
  readonly reason: string
  /** Names of its tools, as the model calls them. */
  readonly tools: readonly string[]
  /** Tools that were left out, and why. */
  readonly warnings: readonly string[]
}
