import type { McpDefinitions, ReadMcpOptions } from './read-mcp-servers.js'

/** The MCP servers that the user's config and the workspace's name. Starts none: `connectMcpServers` does. */
export async function findMcpServers(options: ReadMcpOptions): Promise<McpDefinitions> {
  // Only here: the files are checked with zod, which is loaded by those who look for servers.
  const { readMcpServers } = await import('./read-mcp-servers.js')
  return readMcpServers(options)
}
