import type { SlashCommand } from './command.js'

export const context: SlashCommand = {
  name: 'context',
  about: ({ about }) => about.context,
  run: async ({ agent }, prompt) => (await agent()).printContext(prompt),
}
