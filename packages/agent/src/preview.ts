import type { MemorySession } from '@mutsumi/session/node'
import { KeptEngine } from './kept-engine.js'
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
  readonly #kept: KeptEngine | undefined

  private constructor(bench: Workbench, kept: KeptEngine | undefined) {
    this.#bench = bench
    this.#kept = kept
  }

  /** `session` must be a copy, because a preview changes it. */
  static async open(
    options: AgentOptions & { readonly session: MemorySession },
    kept?: KeptEngine,
  ): Promise<AgentPreview> {
    return new AgentPreview(await openWorkbench(options, noSubAgent, kept), kept)
  }

  /** The prompt for what the user typed: `/name` is replaced by the command of that name. */
  prepare(typed: string): Promise<PreparedPrompt> {
    return expandUserCommand(typed, this.#bench.commands)
  }

  /** The first request of this prompt's round. */
  request(prompt: string, options?: PreviewOptions): Promise<PreviewedRound> {
    return previewRound(prompt, this.#bench.host, options, this.#kept?.memory)
  }
}

/**
 * Previews of one session while somebody edits it. The engine is kept, so a preview costs what has changed since the one
 * before it.
 */
export class AgentPreviews {
  readonly #options: Omit<AgentOptions, 'session'>
  readonly #kept = new KeptEngine()

  /** The options must stay valid for all previews. */
  constructor(options: Omit<AgentOptions, 'session'>) {
    this.#options = options
  }

  /**
   * `session` must be a copy, because a preview changes it. It is fastest if unchanged cells are the same objects as before.
   * The preview of one session must be over before the next one is opened.
   */
  of(session: MemorySession): Promise<AgentPreview> {
    return AgentPreview.open({ ...this.#options, session }, this.#kept)
  }
}

/** Task does not run in a preview; it is only described. */
function noSubAgent(): never {
  throw new TypeError('a preview does not start sub-agents')
}
