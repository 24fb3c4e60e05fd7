import { namesServers } from '@mutsumi/host'
import { isCurrent } from './folder-trust.js'
import { type EditorRun, openParts, startServers } from './open-parts.js'
import type { AgentParts } from './run-cell.js'

/**
 * The parts of one workspace folder. Completion, hovers, problems and previews only look: they use the parts as they are. Only
 * a round starts the servers.
 */
export class FolderParts {
  readonly #editor: EditorRun
  readonly #parts: AgentParts
  #starting: Promise<AgentParts> | undefined
  #started: AgentParts | undefined

  static async open(editor: EditorRun): Promise<FolderParts> {
    return new FolderParts(editor, await openParts(editor))
  }

  private constructor(editor: EditorRun, parts: AgentParts) {
    this.#editor = editor
    this.#parts = parts
  }

  /** The parts, with the servers that run already. */
  shown(): AgentParts {
    return this.#started ?? this.#parts
  }

  /** For a round: all servers run. */
  async started(): Promise<AgentParts> {
    this.#starting ??= startServers(this.#parts, this.#editor)
    this.#started = await this.#starting
    return this.#started
  }

  /** Whether a round would start servers that do not run yet. */
  waitsForServers(): boolean {
    return this.#started === undefined && namesServers(this.#parts.run)
  }

  /** Whether they are still what the folder brings and the user trusts. `trusted`: what the editor says. */
  isCurrent(trusted: boolean): Promise<boolean> {
    const { run } = this.#parts
    return isCurrent(run, { root: run.root, trusted })
  }

  /** Ends the servers. */
  async close(): Promise<void> {
    const parts = await this.#starting?.catch(() => undefined)
    await parts?.toolbox.close()
  }
}
