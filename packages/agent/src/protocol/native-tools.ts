import type { JsonObject, ToolDescription } from '@mutsumi/schema'
import type { LazyTool, Tool } from '@mutsumi/tools'
import { shortSchema } from '@mutsumi/tools/parts'

/** Descriptions of the tools for a model with native calls. Neither built-in tools nor zod are loaded for it. */
export function describeTools(tools: readonly (Tool | LazyTool)[]): Promise<readonly ToolDescription[]> {
  return Promise.all(
    tools.map(async (tool) => ({
      name: tool.name,
      description: aboutOf(tool),
      parameters: tool.schema ?? (await schemaOf(tool)),
    })),
  )
}

/**
 * The text form without the name and the arguments, which are sent separately:
 *
 *     Read: reads a text file.           Reads a text file.
 *     {"path": "src/main.ts", …}    →
 */
function aboutOf({ name, prompt }: Tool | LazyTool): string {
  const [first = '', second = '', ...more] = prompt.split('\n')
  const about = first.startsWith(`${name}: `) ? first.slice(name.length + 2) : first
  const lines = second.startsWith('{') ? [about, ...more] : [about, second, ...more]
  const text = lines.join('\n').trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

async function schemaOf(tool: Tool | LazyTool): Promise<JsonObject> {
  const { toJSONSchema } = await import('zod')
  const { parameters } = 'load' in tool ? await tool.load() : tool
  // JSON Schema is JSON, but the library's type does not say so.
  return shortSchema(toJSONSchema(parameters, { io: 'input' }) as unknown as JsonObject)
}
