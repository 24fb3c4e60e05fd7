/** A program on this machine that speaks MCP over its standard input and output. */
export interface StdioServerConfig {
  readonly command: string
  readonly args?: readonly string[]
  /** Variables that the server needs in addition to a minimal environment, including keys. None of ours are passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that is reached by streamable HTTP. */
export interface HttpServerConfig {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** `origin` says which config names it: a workspace's own servers are not started before the user trusts the folder. */
export type McpServerConfig = (StdioServerConfig | HttpServerConfig) & {
  readonly origin: 'user' | 'workspace'
  /** How long a call of its tools may take, if it differs from the session's limit. */
  readonly timeoutMs?: number
}

/** The state of a server. */
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
