import { spawnSync } from 'node:child_process'

/** Options that start a program in its own process group, so that `signalTree` reaches everything it starts. */
export const treeOptions = { detached: process.platform !== 'win32', windowsHide: true } as const

/** Sends signals; tests pass another implementation. */
export interface Signals {
  readonly platform: NodeJS.Platform
  kill(pid: number, signal: NodeJS.Signals | 0): boolean
  /** True if the program succeeded. */
  run(program: string, args: readonly string[]): boolean
}

/** Signals a program and everything it started. False if nothing of it is left. */
export function signalTree(pid: number, signal: NodeJS.Signals | 0, signals: Signals = ours): boolean {
  try {
    if (signals.platform !== 'win32') return signals.kill(-pid, signal)
    if (signal === 0) return signals.kill(pid, 0)
    return signals.run(taskkill, ['/pid', String(pid), '/t', ...(signal === 'SIGKILL' ? ['/f'] : [])])
  } catch {
    // ESRCH: everything has already ended. EPERM: on macOS, only a zombie process is left.
    return false
  }
}

/**
 * Windows has no process groups. The full path is needed, because a bare name would be searched in the workspace
 * first.
 */
const taskkill = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`

const ours: Signals = {
  platform: process.platform,
  kill: (pid, signal) => process.kill(pid, signal),
  run: (program, args) => spawnSync(program, args, { stdio: 'ignore', windowsHide: true }).status === 0,
}
