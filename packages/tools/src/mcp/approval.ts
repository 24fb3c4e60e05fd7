import { canonicalJson, type JsonObject } from '@mutsumi/schema'
import { hashText } from '../ground/hash-text.js'
import type { ListedTool } from './listed-tool.js'
import type { McpServerConfig } from './mcp-server-config.js'
import { isSecretName } from './server-environment.js'

/**
 * Identifies the server and, if given, the tool's own description. An approval depends on it: if either changes, this
 * changes too, and the user is asked again.
 */
export function approvalOf(config: McpServerConfig, tool?: ListedTool): string {
  return hashText(canonicalJson({ server: identityOf(config), tool: tool ? describe(tool) : null }))
}

function describe({ name, description, inputSchema }: ListedTool): JsonObject {
  return { name, description, inputSchema }
}

function identityOf(config: McpServerConfig): JsonObject {
  if ('url' in config) return { url: config.url, headers: Object.keys(config.headers ?? {}).sort() }
  const { command, args = [], env = {}, cwd = null } = config
  return { command, args, cwd, env: mapValues(env) }
}

/** A key may be renewed without a question, but `NODE_OPTIONS` and similar variables decide what is run. */
function mapValues(env: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, isSecretName(name) ? null : value]),
  )
}
