import type { ChangedSince, NothingToUndo, UndoOutcome, UndoPlan } from '@mutsumi/agent'
import type { CurrentSession } from './current-session.js'

/** Undoes and redoes rounds of the open session, with the files that they changed. */
export class UndoDesk {
  readonly #current: CurrentSession

  constructor(current: CurrentSession) {
    this.#current = current
  }

  async planUndo(rounds: number): Promise<UndoPlan | NothingToUndo> {
    return (await this.#current.opened()).agent.planUndo({ rounds })
  }

  async planRedo(): Promise<UndoPlan | NothingToUndo> {
    return (await this.#current.opened()).agent.planRedo()
  }

  async carryOut(plan: UndoPlan): Promise<UndoOutcome> {
    return (await this.#current.opened()).agent.carryOut(plan)
  }

  async changedSince(round: number): Promise<readonly ChangedSince[]> {
    return (await this.#current.opened()).agent.changedSince({ round, length: longestDiff })
  }
}

/** The most characters that are shown of a file's diff. The rest is only counted. */
const longestDiff = 40_000
