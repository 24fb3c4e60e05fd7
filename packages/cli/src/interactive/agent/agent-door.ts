import type { AskPermission } from '@mutsumi/tools'
import type { FirstRunWorld } from '../first-run/first-run-world.js'
import type { UndecidedTrust } from '../first-run/trust-question.js'
import type { ConversationAgent } from './conversation-agent.js'

/** Opens the agent of a conversation; again when the user trusts the folder, because its servers and settings count then. */
export interface AgentDoor {
  open(opening: AgentOpening): Promise<ConversationAgent>
  /** Whether something in the folder waits for the user's trust. */
  trustQuestion(): Promise<UndecidedTrust | undefined>
}

export interface AgentOpening {
  readonly ask: AskPermission
  /** Aborts the opening. */
  readonly stop: AbortSignal
  readonly world: FirstRunWorld
  /** The session to continue, if it is not the one that the flags name. */
  readonly session?: string | undefined
}

export interface TrustedAgent {
  readonly agent: ConversationAgent
  /** Opened again, so nothing that belongs to the one before may be used. */
  readonly isNew: boolean
}

/** Asks for trust if something waits for it. With a yes, the agent is opened again in the same session. */
export async function withTrust(
  agent: ConversationAgent,
  question: UndecidedTrust | undefined,
  { door, ...opening }: AgentOpening & { readonly door: AgentDoor },
): Promise<TrustedAgent> {
  if (!question || !(await question.ask(opening.world))) return { agent, isNew: false }
  const { session, mode, models } = agent
  const { chosen } = models
  await agent.close()
  const trusted = await door.open({ ...opening, session })
  // The project has no say in what the user chose before.
  trusted.mode = mode
  if (chosen) await trusted.models.use(chosen.model, chosen.baseUrl)
  return { agent: trusted, isNew: true }
}
