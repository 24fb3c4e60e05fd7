import type { AgentMessage } from '@mutsumi/schema'
import { reActText } from './react-text.js'

/** What stands around the conversation; empty texts add nothing. */
export interface ContextLayers {
  /** L1: who the agent is, and its tools. */
  readonly systemPrompt: string
  /** L2: the project's own rules. */
  readonly projectRules?: string
  /** The todo list in one line: the last thing a model reads. */
  readonly todo?: string
}

/**
 * Puts a request in its order: L1, L2, the history (summaries, then rounds), the user's question, what this round has
 * done so far, the todo list. As messages, or as one text for models that are spoken to in ReAct form.
 */
export class ContextBuilder {
  readonly #layers: ContextLayers

  constructor(layers: ContextLayers) {
    this.#layers = layers
  }

  /** The request as one text. A string in the scratchpad is the agent's own words; nobody else can be quoted by it. */
  build(
    history: readonly AgentMessage[],
    scratchpad: readonly (string | AgentMessage)[],
    question: string,
  ): string {
    const steps = scratchpad.map((step) =>
      typeof step === 'string' ? ({ role: 'assistant', content: step } as const) : step,
    )
    return reActText(this.buildMessages(history, steps, question))
  }

  /** The request as messages, with the very objects that were given. */
  buildMessages(
    history: readonly AgentMessage[],
    scratchpad: readonly AgentMessage[],
    question: AgentMessage['content'],
  ): AgentMessage[] {
    const { systemPrompt, projectRules = '', todo = '' } = this.#layers
    return [
      ...systemMessages(systemPrompt, projectRules),
      ...history.filter(isSummary).map(asSent),
      ...history.filter((message) => !isSummary(message)),
      ...(question.length === 0 ? [] : [{ role: 'user', content: question } as const]),
      ...scratchpad,
      ...systemMessages(todo),
    ]
  }
}

/** A history holds no other system messages: L1 and L2 are never part of it. */
function isSummary({ role }: { readonly role: string }): boolean {
  return role === 'system' || role === 'summary'
}

/** Summaries are stored under a role of their own, which no model knows. */
function asSent(message: AgentMessage): AgentMessage {
  return message.role === 'system' ? message : { ...message, role: 'system' }
}

function systemMessages(...texts: readonly string[]): AgentMessage[] {
  return texts.filter((text) => text.trim() !== '').map((content) => ({ role: 'system', content }))
}
