import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/mcp`: the MCP servers and the state of each. */
export const mcp: SlashCommand = { name: 'mcp', about: ({ about }) => about.mcp, isAlwaysReady: true, run }

async function run({ words, agent, print, width }: CommandWorld): Promise<void> {
  const servers = await (await agent()).inventory.servers()
  if (servers.length === 0) return print(sentence(words.mcp.none, width))
  print(
    servers.flatMap(({ name, state, tools, notes }) => {
      const about = [
        words.mcp.states[state],
        ...(state === 'ready' ? [words.mcp.tools(tools)] : []),
        ...notes,
      ]
      return sentence(
        `  ${name}: ${about.join(', ')}`,
        width,
        state === 'ready' ? undefined : { color: 'yellow' },
      )
    }),
  )
}
