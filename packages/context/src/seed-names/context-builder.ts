import { reActText, spellsAction } from '@mutsumi/react-text'
import { type AgentMessage, type HistoryMessage, textOf } from '@mutsumi/schema'
import { readGiven } from '../kept-results/given-result.js'
import { inOrder } from '../request/place.js'

/** The texts around the conversation. Empty ones add nothing. */
export interface ContextLayers {
  /** L1: the agent's identity and its tools. */
  readonly systemPrompt: string
  /** L2: the project's own rules. */
  readonly projectRules?: string
  /** The todo list in one line, which ends the request. */
  readonly todo?: string
}

/**
 * Puts a request in its order: L1, L2, the history (summaries, then rounds), the user's question, what this round has
 * done so far, the todo list. As messages, or as one text for models that use the ReAct form.
 */
export class ContextBuilder {
  readonly #layers: ContextLayers

  constructor(layers: ContextLayers) {
    this.#layers = layers
  }

  /**
   * The request as one text. A string in the scratchpad is a Thought with its Action, or an observation: what follows an
   * Action, `Observation: …`, or a tool's result as JSON.
   */
  build(
    history: readonly HistoryMessage[],
    scratchpad: readonly (string | AgentMessage)[],
    question: string,
  ): string {
    return reActText(this.buildMessages(history, labelledSteps(scratchpad), question))
  }

  /** The request as messages. They are the very objects that were passed in. */
  buildMessages(
    history: readonly HistoryMessage[],
    scratchpad: readonly AgentMessage[],
    question: AgentMessage['content'],
  ): readonly AgentMessage[] {
    const { systemPrompt, projectRules = '', todo = '' } = this.#layers
    const L3 = [...history.filter(isSummary).map(asSent), ...history.filter(isStep)]
    const asked = question.length === 0 ? [] : [{ role: 'user' as const, content: question }]
    return inOrder({ L1: systemPrompt, L2: projectRules, L3, asked, scratchpad, todo })
  }
}

const observation = /^\s*\**observation\**\s*[:：]\**\s*/i

/** A tool's result must never look like the agent's own words, so an observation follows an action. */
function labelledSteps(scratchpad: readonly (string | AgentMessage)[]): AgentMessage[] {
  let isAwaited = false
  return scratchpad.map((step) => {
    const message = typeof step === 'string' ? toStep(step, isAwaited) : step
    isAwaited = message.role === 'assistant' && spellsAction(textOf(message))
    return message
  })
}

function toStep(text: string, isAwaited: boolean): AgentMessage {
  const label = observation.exec(text)
  if (label) return { role: 'tool', content: text.slice(label[0].length) }
  return { role: isAwaited || readGiven(text).result ? 'tool' : 'assistant', content: text }
}

/** A history contains no other system messages, because L1 and L2 are never part of it. */
function isSummary({ role }: HistoryMessage): boolean {
  return role === 'system' || role === 'summary'
}

function isStep(message: HistoryMessage): message is AgentMessage {
  return !isSummary(message)
}

/** Summaries are stored under their own role, which is never sent to a model. */
function asSent(message: HistoryMessage): AgentMessage {
  return message.role === 'summary' ? { ...message, role: 'system' } : message
}
