import { type BigIntStats, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Editors take some milliseconds between emptying a file and writing it. */
const calmMs = 50
/** A program that writes for longer is not awaited. */
const patienceMs = 2000

/** Waits until a file has not been written for a moment, so that it is complete. */
export async function whenSettled(path: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  let before = look(path)
  while (!isOld(before) && performance.now() < deadline) {
    await pause(calmMs)
    const now = look(path)
    if (isSame(before, now)) return
    before = now
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
