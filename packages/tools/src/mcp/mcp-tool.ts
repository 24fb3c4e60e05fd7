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

/** A server's tool among ours. */
export interface McpTool extends Tool {
  readonly server: string
  /** The server's own, in the form that providers take. */
  readonly schema: JsonObject
  /** What an approval of this tool is bound to: where it differs, the user is asked anew. */
  readonly approval: string
}

const longestDescription = 1_000
const longestSchema = 4_000

/** Any object: the schema is the server's, in a dialect of its choice, and the server checks by it. */
const parameters = looseObject({})

export function toMcpTool(name: string, listed: ListedTool, connection: McpConnection): McpTool {
  const data = { server: connection.name, tool: listed.name }
  const approval = approvalOf(connection.config, listed)
  return {
    name,
    // Whatever the server says: `readOnlyHint` is a stranger's word about code that we do not see.
    effect: 'execute',
    prompt: promptOf(name, listed),
    parameters,
    server: connection.name,
    schema: shortSchema(listed.inputSchema),
    approval,
    // Nobody knows what a server touches; the permission is asked for the tool as it is described now.
    touches: () => ({ approval }),
    // Not by defineTool: the arguments go out as they came in, there is no schema of ours to parse them.
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

/** The name, what the server says of it in one line, and the schema of its arguments. */
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
