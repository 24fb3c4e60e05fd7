import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'

/** The variable by which all processes of a command are found, even those that left its process group. */
export const markerName = 'MUTSUMI_COMMAND'

/** A process that keeps starting others may be faster for a while, but not for so many rounds. */
const mostRounds = 200

/**
 * Kills every process of this user with the marker in its environment, until there is none. Returns how many are left: a
 * process is missed only if it started with another environment. Windows has no way to look.
 */
export function endMarked(marker: string): number {
  for (let round = 0; round < mostRounds; round++) {
    const found = markedProcesses(marker)
    if (found.length === 0) return 0
    for (const pid of found) kill(pid)
  }
  return markedProcesses(marker).length
}

function markedProcesses(marker: string): number[] {
  const sign = `${markerName}=${marker}`
  if (process.platform === 'linux') return ownProcesses().filter((pid) => environmentOf(pid).includes(sign))
  return process.platform === 'darwin' ? shownByPs(sign) : []
}

function ownProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && ownerOf(pid) === process.getuid?.())
}

function ownerOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid
  } catch {
    // It has ended.
    return undefined
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    // It has ended, or it may not be looked at.
    return []
  }
}

/** As many bytes as a thousand processes with long environments have. */
const psLimit = 64 * 1024 * 1024

function shownByPs(sign: string): number[] {
  const args = ['-E', '-ww', '-x', '-o', 'pid=,command=']
  const { stdout } = spawnSync('/bin/ps', args, { encoding: 'latin1', maxBuffer: psLimit })
  return (stdout ?? '').split('\n').flatMap((line) => {
    const pid = Number.parseInt(line, 10)
    return line.includes(` ${sign}`) && pid !== process.pid ? [pid] : []
  })
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // ESRCH: it has ended.
  }
}
