import { answerIn } from '@mutsumi/react-text'
import { type AgentMessage, textOf } from '@mutsumi/schema'

/** The answer of a round for people. A session stores it in the form of its protocol. */
export function answerText(message: AgentMessage): string {
  const said = textOf(message)
  return message.metadata?.protocol === 'native' ? said : (answerIn(said) ?? said)
}
