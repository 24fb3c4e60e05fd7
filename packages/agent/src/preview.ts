import type { MemorySession } from '@mutsumi/session/node'
import type { AgentOptions } from './options/agent-options.js'
import { type PreviewedRound, type PreviewOptions, previewRound } from './round/preview-round.js'
import { expandUserCommand, type PreparedPrompt } from './user-command.js'
import { openWorkbench, type Workbench } from './workbench.js'

/**
 * An agent that sends nothing: it builds the first request of a round as `Agent` does, with the same options, and
 * stops there. Records that a round would write stay in memory.
 */
export class AgentPreview {
  readonly #bench: Workbench

  private constructor(bench: Workbench) {
    this.#bench = bench
  }

  /** `session` must be a copy, because a preview changes it. */
  static async open(options: AgentOptions & { readonly session: MemorySession }): Promise<AgentPreview> {
    return new AgentPreview(await openWorkbench(options, noSubAgent))
  }

  /** The prompt for what the user typed: `/name` is replaced by the command of that name. */
  prepare(typed: string): Promise<PreparedPrompt> {
    return expandUserCommand(typed, this.#bench.commands)
  }

  /** The first request of this prompt's round. */
  request(prompt: string, options?: PreviewOptions): Promise<PreviewedRound> {
    return previewRound(prompt, this.#bench.host, options)
  }
}

/** Task does not run in a preview; it is only described. */
function noSubAgent(): never {
  throw new TypeError('a preview does not start sub-agents')
}
