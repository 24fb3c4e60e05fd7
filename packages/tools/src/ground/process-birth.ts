import { readFileSync } from 'node:fs'

/**
 * When a process was born, in ticks since the machine was started. Undefined if there is no such process, or if the system
 * is not Linux.
 */
export function bornAt(pid: number): string | undefined {
  try {
    // `pid (any name) state …`; the time is the 22nd field.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .at(19)
  } catch {
    return undefined
  }
}
