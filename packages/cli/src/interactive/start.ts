import type { PromptOptions } from '../commands/prompt.js'
import { version } from '../flags/version.js'
import { abilitiesOf } from '../terminal/abilities.js'
import type { AgentDoor } from './agent/agent-door.js'
import { Conversation } from './conversation/conversation.js'
import { wordsFor } from './words/choose-words.js'

export interface InteractiveOptions extends PromptOptions {
  readonly plain?: boolean
}

/** `mutsumi` in a terminal: a conversation until the user leaves. `first` is its first prompt. */
export async function startConversation(options: InteractiveOptions, first?: string): Promise<void> {
  const words = wordsFor(process.env)
  const abilities = abilitiesOf(process.env)
  const door: AgentDoor = {
    open: async ({ ask, stop, world, session }) => {
      const { openConversationAgent } = await import('./agent/open-agent.js')
      const named = session === undefined ? options : { ...options, session, continue: false }
      return openConversationAgent({ options: named, ask, stop, world })
    },
    trustQuestion: async () => {
      if (options.trust) return undefined
      return (await import('./first-run/trust-question.js')).findUndecidedTrust(options.C)
    },
  }
  if (options.plain || !abilities.addressable) {
    const { talkPlainly } = await import('./plain/plain-conversation.js')
    return talkPlainly({ words, door, first })
  }
  await new Conversation({ words, abilities, version, door, first }).run()
}
