import type { JsonObject, ToolDescription } from '@mutsumi/schema'
import type { LazyTool, Tool } from '@mutsumi/tools'

/** Tools as a model with native calls is told about them. Loads them all, and zod with them. */
export async function describeTools(
  tools: readonly (Tool | LazyTool)[],
): Promise<readonly ToolDescription[]> {
  const { toJSONSchema } = await import('zod')
  return Promise.all(
    tools.map(async (tool) => {
      const { parameters } = 'load' in tool ? await tool.load() : tool
      // JSON Schema is JSON; the library's type only does not say so.
      const schema = toJSONSchema(parameters, { io: 'input' }) as unknown as JsonObject
      const { $schema: _, ...plain } = schema
      return { name: tool.name, description: tool.prompt, parameters: plain }
    }),
  )
}
