import type { SlashCommand } from './command.js'

export const quit: SlashCommand = {
  name: 'quit',
  about: ({ about }) => about.quit,
  isAlwaysReady: true,
  run: ({ leave }) => leave(),
}
