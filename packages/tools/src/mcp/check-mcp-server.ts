import type { JsonObject } from '@mutsumi/schema'
import type { McpServerConfig } from './mcp-server-config.js'

export interface CheckedServer {
  /** Why the entry is invalid. */
  readonly fault?: string
  /** Why it would be skipped now, for example because a variable is not set. */
  readonly problem?: string
}

/** Checks an entry of `mcpServers` as a run would. Starts nothing. */
export async function checkMcpServer(
  name: string,
  entry: JsonObject,
  { root, origin }: { readonly root: string; readonly origin: McpServerConfig['origin'] },
): Promise<CheckedServer> {
  // Checked with zod, which is loaded only if servers are configured.
  const { readConfigServers } = await import('./mcp-config-file.js')
  const problemWith = (more: JsonObject) => {
    const content = { mcpServers: { [name]: { ...entry, ...more } } }
    const variables = origin === 'user' ? process.env : undefined
    const { problems } = readConfigServers({ file: '', origin, content, root, variables })
    return problems[0]?.replace(/^: mcpServers\./, '')
  }
  // A disabled server needs no variables.
  const fault = problemWith({ disabled: true })
  if (fault !== undefined) return { fault }
  const problem = problemWith({})
  return problem === undefined ? {} : { problem }
}
