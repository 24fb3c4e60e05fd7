import type { JsonObject } from '@mutsumi/schema'
import type { McpServerConfig } from './mcp-server-config.js'

export interface CheckedServer {
  /** Why it cannot be a server at all. */
  readonly fault?: string
  /** Why it would be left out as things are now, such as a variable that is not set. */
  readonly problem?: string
}

/** What a run would say of an entry of `mcpServers`. Starts nothing. */
export async function checkMcpServer(
  name: string,
  entry: JsonObject,
  { root, origin }: { readonly root: string; readonly origin: McpServerConfig['origin'] },
): Promise<CheckedServer> {
  // Checked with zod, which is loaded only by those who look for servers.
  const { readConfigServers } = await import('./mcp-config-file.js')
  const problemWith = (more: JsonObject) => {
    const content = { mcpServers: { [name]: { ...entry, ...more } } }
    const variables = origin === 'user' ? process.env : undefined
    const { problems } = readConfigServers({ file: '', origin, content, root, variables })
    return problems[0]?.replace(/^: mcpServers\./, '')
  }
  // A server that is off needs no variables.
  const fault = problemWith({ disabled: true })
  if (fault !== undefined) return { fault }
  const problem = problemWith({})
  return problem === undefined ? {} : { problem }
}
