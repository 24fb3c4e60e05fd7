import type { JsonObject } from '@mutsumi/schema'
import { looseObject } from 'zod'
import { fail, type Tool } from '../contract/define-tool.js'
import { approvalOf } from './approval.js'
import { serverOutcome } from './call-result.js'
import { cleanText } from './clean-text.js'
import type { ListedTool } from './listed-tool.js'
import type { McpConnection } from './mcp-connection.js'
import { McpFault } from './mcp-fault.js'
import { shortSchema } from './short-schema.js'

/** A server's tool as one of ours. */
export interface McpTool extends Tool {
  readonly server: string
  /** The server's own schema, in the form that providers accept. */
  readonly schema: JsonObject
  /** An approval of this tool depends on this. If it changes, the user is asked again. */
  readonly approval: string
}

const longestDescription = 1_000
const longestSchema = 4_000

/** Any object: the server has its own schema, in any dialect, and checks the arguments itself. */
const parameters = looseObject({})

export function toMcpTool(name: string, listed: ListedTool, connection: McpConnection): McpTool {
  const data = { server: connection.name, tool: listed.name }
  const approval = approvalOf(connection.config, listed)
  return {
    name,
    // `readOnlyHint` is ignored, because it is an unverified claim about foreign code.
    effect: 'execute',
    prompt: promptOf(name, listed),
    parameters,
    server: connection.name,
    schema: shortSchema(listed.inputSchema),
    approval,
    // A server's effects are unknown, so the permission is for the tool as it is described now.
    touches: () => ({ approval }),
    // Not made with defineTool: the arguments are sent unchanged, because there is no schema of ours to parse them.
    async call(args, { signal, memory }) {
      try {
        const result = await connection.call(listed, args, signal)
        return serverOutcome(result, { data, observations: memory.observations })
      } catch (error) {
        if (error instanceof McpFault) return { ...fail(error.code, error.message), data }
        throw error
      }
    },
  }
}

/** The name, the server's description in one line, and the schema of its arguments. */
function promptOf(name: string, { description, inputSchema }: ListedTool): string {
  const about = cleanText(description).replace(/\s+/g, ' ').trim()
  return `${name}: ${cut(about, longestDescription) || 'a tool of an MCP server.'}\n${schemaText(inputSchema)}`
}

function schemaText(schema: JsonObject): string {
  const { $schema: _, ...rest } = schema
  return cut(cleanText(JSON.stringify(rest)), longestSchema)
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}
