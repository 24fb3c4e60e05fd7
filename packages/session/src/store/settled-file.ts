import { type BigIntStats, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Editors take some milliseconds between emptying a file and writing it. */
const calmMs = 50
/** A program that writes for longer is not awaited. */
const patienceMs = 2000

/**
 * Waits until a file has not been written for a moment, so that it is complete. A program that never stops is awaited once:
 * otherwise every line of a round would wait for it.
 */
export class SettledFile {
  readonly #path: string
  #isRestless = false

  constructor(path: string) {
    this.#path = path
  }

  /** Whether another program wrote to the file all the time when somebody last waited. */
  get isRestless(): boolean {
    return this.#isRestless
  }

  async wait(): Promise<void> {
    const deadline = performance.now() + (this.#isRestless ? 0 : patienceMs)
    let before = look(this.#path)
    while (!isOld(before)) {
      if (performance.now() >= deadline) {
        this.#isRestless = true
        return
      }
      await pause(calmMs)
      const now = look(this.#path)
      if (isSame(before, now)) break
      before = now
    }
    this.#isRestless = false
  }
}

function look(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

function isOld(stats: BigIntStats | undefined): boolean {
  return stats !== undefined && Date.now() - Number(stats.ctimeMs) > calmMs
}

function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one?.ino === other?.ino && one?.size === other?.size && one?.ctimeNs === other?.ctimeNs
}
