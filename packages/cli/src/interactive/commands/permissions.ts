import type { KnownRule } from '../agent/inventory.js'
import { sentence } from '../text/text-lines.js'
import type { Words } from '../words/words.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** `/permissions`: lists the rules that apply, and removes one. */
export const permissions: SlashCommand = { name: 'permissions', about: ({ about }) => about.permissions, run }

async function run({ words, ask, agent, print, width }: CommandWorld): Promise<void> {
  const { inventory, mode } = await agent()
  const listed = await inventory.permissions()
  if (listed.length === 0)
    return print([words.permissions.none, words.modes.now[mode]].flatMap((text) => sentence(text, width)))
  print(listed.flatMap((rule) => sentence(`  ${ruleText(rule, words)}`, width)))
  // A rule from a flag applies to the whole run.
  const removable = listed.filter(({ scope }) => scope !== 'flag')
  if (removable.length === 0) return
  const choices = removable.map((rule) => ({ value: rule, label: ruleText(rule, words) }))
  const chosen = await ask.choose({ title: words.permissions.remove, choices })
  if (!chosen) return
  await inventory.removeRule(chosen)
  print(sentence(words.permissions.removed(chosen.rule), width))
}

function ruleText({ rule, decision, scope }: KnownRule, { permissions: said }: Words): string {
  return `${said.decisions[decision]} ${rule} (${said.scopes[scope]})`
}
