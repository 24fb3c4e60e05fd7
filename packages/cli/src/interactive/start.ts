import type { PromptOptions } from '../commands/prompt.js'
import { version } from '../flags/version.js'
import { abilitiesOf } from '../terminal/abilities.js'
import type { ConversationOptions } from './conversation/conversation.js'
import { Conversation } from './conversation/conversation.js'
import { wordsFor } from './words/choose-words.js'

export interface InteractiveOptions extends PromptOptions {
  readonly plain?: boolean
}

/** `mutsumi` in a terminal: a conversation until the user leaves. `first` is its first prompt. */
export async function startConversation(options: InteractiveOptions, first?: string): Promise<void> {
  const words = wordsFor(process.env)
  const abilities = abilitiesOf(process.env)
  const open: ConversationOptions['open'] = async (ask, stop, world) => {
    if (!options.trust) await (await import('./first-run/trust-question.js')).askForTrust(options.C, world)
    const { openConversationAgent } = await import('./agent/open-agent.js')
    return openConversationAgent({ options, ask, stop, during: world.during })
  }
  const greeted: ConversationOptions['greeted'] = async (about, world) => {
    // A run that stores no session does not write rules either.
    if (options.session === false) return
    await (await import('./first-run/rules-offer.js')).offerRules(about, world)
  }
  if (options.plain || !abilities.addressable) {
    const { talkPlainly } = await import('./plain/plain-conversation.js')
    return talkPlainly({ words, open, greeted, first })
  }
  await new Conversation({ words, abilities, version, open, greeted, first }).run()
}
