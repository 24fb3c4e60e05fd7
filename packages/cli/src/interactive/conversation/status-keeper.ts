import type { AgentEvent } from '@mutsumi/schema'
import type { ConversationAgent } from '../agent/conversation-agent.js'
import type { Room, Status } from '../cards/status-line.js'

export interface StatusOptions {
  readonly status: () => Status
  readonly show: (status: Status) => void
  /** The cache has become cold, so the next request may be a different one. */
  readonly cold: () => void
}

/** Updates the status line from the events of a round, and between two rounds from the next request. */
export class StatusKeeper {
  readonly #options: StatusOptions
  #growingCold: NodeJS.Timeout | undefined
  #isCompacting = false

  constructor(options: StatusOptions) {
    this.#options = options
  }

  /** Takes an event of the running round. */
  hear(event: AgentEvent, agent: ConversationAgent): void {
    if (event.type === 'request-start') {
      this.#isCompacting = false
      this.#staysWarm(agent.cacheMs)
      this.#change({ room: agent.roomOf(event.weight, event.layers), round: agent.rounds, isCold: false })
    }
    if (event.type === 'compaction-start') this.#isCompacting = true
    if (event.type === 'compaction-end') this.#isCompacting = false
    // The tokens of a summary say nothing about the round's own requests.
    if (event.type === 'usage' && !this.#isCompacting) {
      const { input, output, cached } = event.usage
      const { room } = this.#options.status()
      const used = room && { room: { ...room, used: Math.max(input + output, 0) } }
      // A server that does not count reports 0.
      this.#change({
        ...(input > 0 ? used : {}),
        ...(cached === undefined || input === 0 ? {} : { cached: cached / input }),
      })
    }
  }

  /** Between two rounds, counts the next request and the cost of the session. Returns the room. */
  async refresh(agent: ConversationAgent): Promise<Room> {
    const room = await agent.nextRoom()
    const { cost } = agent.usage().total
    const { model, mode, rounds: round } = agent
    this.#change({ room, model, mode, round, ...(cost === undefined ? {} : { cost }) })
    return room
  }

  /** Another session was opened, so the status begins anew. */
  begin({ model, mode, rounds: round }: ConversationAgent): void {
    this.close()
    this.#options.show({ model, mode, round, queued: 0 })
  }

  close(): void {
    clearTimeout(this.#growingCold)
  }

  #staysWarm(cacheMs: number): void {
    clearTimeout(this.#growingCold)
    this.#growingCold = setTimeout(() => this.#growCold(), cacheMs)
    this.#growingCold.unref()
  }

  #growCold(): void {
    // Without a cache nothing can become cold.
    if (this.#options.status().cached === undefined) return
    this.#change({ isCold: true })
    this.#options.cold()
  }

  #change(change: Partial<Status>): void {
    this.#options.show({ ...this.#options.status(), ...change })
  }
}
