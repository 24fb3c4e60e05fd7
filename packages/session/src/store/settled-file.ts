import { type BigIntStats, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Between emptying a file and writing it, editors take some milliseconds. */
const calmMs = 50
/** A program that writes for longer is not waited for. */
const patienceMs = 2000

/** Waits until nobody has written to a file for a moment: what is in it then is all of it. */
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
