import type { McpDefinitions, ReadMcpOptions } from './read-mcp-servers.js'

/** The MCP servers in the user's and the workspace's config. It starts none; `connectMcpServers` does. */
export async function findMcpServers(options: ReadMcpOptions): Promise<McpDefinitions> {
  // Loaded here, because checking the files needs zod.
  const { readMcpServers } = await import('./read-mcp-servers.js')
  return readMcpServers(options)
}
