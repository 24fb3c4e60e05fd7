import { isJsonObject, type JsonObject } from '@mutsumi/schema'

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface ToolListing {
  readonly tools: readonly ListedTool[]
  /** The tools that were left out, and why. */
  readonly warnings: readonly string[]
}

/** A longer list would only fill the prompt. */
const limits = { tools: 128, name: 128, schema: 32_000 }

/** Uses the valid tools of a server's list, even if others are broken. */
export function readToolListing(listed: readonly unknown[]): ToolListing {
  const tools = new Map<string, ListedTool>()
  const warnings: string[] = []
  for (const [index, entry] of listed.entries()) {
    const tool = readTool(entry)
    if (typeof tool === 'string') warnings.push(`tool ${index + 1} was left out: ${tool}`)
    else if (tools.has(tool.name)) warnings.push(`tool ${index + 1} was left out: its name is listed twice`)
    else if (tools.size < limits.tools) tools.set(tool.name, tool)
  }
  if (listed.length > limits.tools) warnings.push(`only the first ${limits.tools} tools are used`)
  return { tools: [...tools.values()], warnings: warnings.slice(0, 10) }
}

function readTool(entry: unknown): ListedTool | string {
  if (!isJsonObject(entry)) return 'it is not an object'
  const { name, description, inputSchema } = entry
  if (typeof name !== 'string' || name === '') return 'it has no name'
  if (name.length > limits.name) return `its name is longer than ${limits.name} characters`
  if (!isJsonObject(inputSchema) || inputSchema.type !== 'object')
    return 'its input schema does not describe an object'
  if (JSON.stringify(inputSchema).length > limits.schema)
    return `its input schema is longer than ${limits.schema} characters`
  return { name, description: typeof description === 'string' ? description : '', inputSchema }
}
