import type * as vscode from 'vscode'
import type { RoundOutput } from '../notebook/round-output.js'
import type { LiveRound } from './live-rounds.js'
import { itemsOf, outputOf } from './output.js'

/** A change waits at least so long for further ones. A larger round costs more to send, so it waits longer. */
const leastWaitMs = 60
const bytesPerMs = 4_000

const againMs = 300

/** Shows a running round in its cell: at once at its beginning and end, and some ten times a second in between. */
export class Painter implements LiveRound {
  readonly #execution: vscode.NotebookCellExecution
  readonly #output: vscode.NotebookCellOutput
  #shown: RoundOutput
  order: number | undefined
  #round: RoundOutput
  #timer: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #painting: Promise<unknown> = Promise.resolve()

  constructor(execution: vscode.NotebookCellExecution, round: RoundOutput) {
    this.#execution = execution
    this.#round = round
    this.#shown = round
    this.#output = outputOf(round)
    this.#painting = settled(() => execution.replaceOutput([this.#output]))
  }

  get round(): RoundOutput {
    return this.#round
  }

  show(round: RoundOutput): void {
    this.#round = round
    if (this.#timer || round === this.#shown) return
    const wait = leastWaitMs + sizeOf(round) / bytesPerMs
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#paint()
    }, wait)
  }

  showAgain(): void {
    clearTimeout(this.#again)
    this.#again = setTimeout(() => this.#paint('always'), againMs)
  }

  /** Shows the newest state and waits until the editor has it. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer)
    clearTimeout(this.#again)
    this.#paint('always')
    await this.#painting
  }

  #paint(when: 'changed' | 'always' = 'changed'): void {
    if (when === 'changed' && this.#shown === this.#round) return
    const round = this.#round
    this.#shown = round
    this.#painting = this.#painting.then(() =>
      settled(() => this.#execution.replaceOutputItems(itemsOf(round), this.#output)),
    )
  }
}

function sizeOf({ parts, activity }: RoundOutput): number {
  const draft = activity?.kind === 'writing' ? (activity.draft?.length ?? 0) : 0
  return parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 500), draft)
}

/** Ignores failures to show a cell that was deleted while it ran. */
async function settled(work: () => Thenable<unknown>): Promise<void> {
  try {
    await work()
  } catch {
    // The notebook was closed, its cell deleted, or the round is over.
  }
}
