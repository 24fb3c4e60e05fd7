import type { McpServerStatus } from './mcp-server-config.js'
import type { McpTool } from './mcp-tool.js'

/** The servers of a session. */
export interface McpServers {
  readonly status: readonly McpServerStatus[]
  readonly tools: readonly McpTool[]
  /** Takes in what the servers have changed in their tools. True where something did: `tools` is then another list. */
  refresh(): Promise<boolean>
  /** Ends all servers; nothing of theirs goes on running. */
  close(): Promise<void>
}
