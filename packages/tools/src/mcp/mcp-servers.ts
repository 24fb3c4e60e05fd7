import type { McpServerStatus } from './mcp-server-config.js'
import type { McpTool } from './mcp-tool.js'

/** The servers of a session. */
export interface McpServers {
  readonly status: readonly McpServerStatus[]
  readonly tools: readonly McpTool[]
  /** Updates the tools that servers have changed. True if something changed: then `tools` is a new list. */
  refresh(): Promise<boolean>
  /** Ends all servers and everything that they started. */
  close(): Promise<void>
}
