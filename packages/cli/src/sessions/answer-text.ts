import { answerIn } from '@mutsumi/react-text'
import { type AgentMessage, textOf } from '@mutsumi/schema'

/** The answer of a round for a person to read: a session keeps it in the words of the protocol it was said in. */
export function answerText(message: AgentMessage): string {
  const said = textOf(message)
  return message.metadata?.protocol === 'native' ? said : (answerIn(said) ?? said)
}
