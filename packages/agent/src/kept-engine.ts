import { ContextEngine, type EngineOptions, type Ports } from '@mutsumi/context'
import { MessageTokens } from '@mutsumi/context/parts'
import { once } from '@mutsumi/schema'
import { LeavingMemory } from './round/leaving-memory.js'
import type { PreviewMemory } from './round/preview-round.js'
import type { ResumedCount } from './round/usage-memory.js'

/** An engine, and the counts of the messages that it made. */
export interface CountingEngine {
  readonly engine: ContextEngine
  readonly tokens: MessageTokens
}

export function newEngine(ports: Ports, options: EngineOptions): CountingEngine {
  const engine = new ContextEngine(ports, options)
  return { engine, tokens: new MessageTokens(engine.tokens) }
}

/**
 * Engines that stay while everything around them is opened again, for previews of a session that somebody edits. They ask
 * the newest ports, so only one preview may be built at a time.
 */
export class KeptEngine {
  #ports: Ports | undefined
  #recorded: CountingEngine | undefined
  #memory: PreviewMemory | undefined
  #resumed: ResumedCount | undefined

  /** The engine of the recorded history. Options and what the ports read must be the same each time. */
  of(ports: Ports, options: EngineOptions): CountingEngine {
    this.#ports = ports
    if (this.#recorded) return this.#recorded
    const newest = newestOf(ports, () => this.#ports ?? ports)
    this.#recorded = newEngine(newest, options)
    this.#memory = { compacted: new ContextEngine(newest, options), leaving: new LeavingMemory() }
    return this.#recorded
  }

  /** A second engine for the history after a compaction: with one alone, each history would make it forget the other. */
  get memory(): PreviewMemory | undefined {
    return this.#memory
  }

  /** The last count of the session. If it is that of the last preview, its request is not rebuilt again. */
  resumed(count: ResumedCount | undefined): ResumedCount | undefined {
    if (count?.request !== this.#resumed?.request)
      this.#resumed = count && { ...count, load: once(count.load) }
    return this.#resumed
  }
}

/** Ports that ask the newest ones about everything that belongs to a session. */
function newestOf(first: Ports, newest: () => Ports): Ports {
  return {
    ...first,
    ...(first.tools && {
      tools: {
        ...first.tools,
        effectOf: (name) => newest().tools?.effectOf(name),
        run: (call, context) => (newest().tools ?? first.tools ?? missing()).run(call, context),
      },
    }),
    observation: (id) => newest().observation?.(id),
    snapshot: (hash) => newest().snapshot?.(hash),
    isOwnChange: (path, hash) => newest().isOwnChange?.(path, hash) ?? false,
  }
}

function missing(): never {
  throw new TypeError('a preview without tools')
}
