import type { SlashCommand } from './command.js'

export const quit: SlashCommand = {
  name: 'quit',
  about: ({ commands }) => commands.quit,
  isAlwaysReady: true,
  run: ({ leave }) => leave(),
}
