import type { MemorySession } from '@mutsumi/session/node'
import type { AgentOptions } from './options/agent-options.js'
import { type PreviewedRound, type PreviewOptions, previewRound } from './round/preview-round.js'
import { expandUserCommand, type PreparedPrompt } from './user-command.js'
import { openWorkbench, type Workbench } from './workbench.js'

/**
 * An agent that asks nobody: it builds the first request of a round as `Agent` does, with the same options, and stops
 * before it is sent. What a round records on the way is recorded in memory alone.
 */
export class AgentPreview {
  readonly #bench: Workbench

  private constructor(bench: Workbench) {
    this.#bench = bench
  }

  /** `session` is a copy: a preview uses it up. */
  static async open(options: AgentOptions & { readonly session: MemorySession }): Promise<AgentPreview> {
    return new AgentPreview(await openWorkbench(options, noSubAgent))
  }

  /** What the user typed as it is to be asked: `/name` stands for the command of that name. */
  prepare(typed: string): Promise<PreparedPrompt> {
    return expandUserCommand(typed, this.#bench.commands)
  }

  /** The request that the round of this prompt begins with. */
  request(prompt: string, options?: PreviewOptions): Promise<PreviewedRound> {
    return previewRound(prompt, this.#bench.host, options)
  }
}

/** Task does not run in a preview: it is only described. */
function noSubAgent(): never {
  throw new TypeError('a preview starts no sub-agent')
}
