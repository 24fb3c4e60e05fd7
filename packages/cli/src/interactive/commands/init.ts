import { initPrompt } from '../agent/init-prompt.js'
import { sentence } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/**
 * `/init [wishes]`: the model reads the project and writes AGENTS.md. The call that writes it asks like any other, with
 * the whole text, so nothing is saved unseen.
 */
export const init: SlashCommand = { name: 'init', about: ({ about }) => about.init, run }

async function run({ words, agent, print, width, send }: CommandWorld, wishes: string): Promise<void> {
  const { projectRules } = await (await agent()).about()
  const existing = projectRules.find((name) => guides.has(name.toLowerCase()))
  const { shown, writes, improves } = words.init
  print(sentence(existing === undefined ? writes : improves(existing), width, { dim: true }))
  send(initPrompt(wishes), [shown, wishes].join(' ').trim())
}

/** The files that hold instructions for agents. CODE_LAW.md has laws, which `/init` does not write. */
const guides: ReadonlySet<string> = new Set(['agents.md', 'claude.md'])
