import { spawnSync } from 'node:child_process'

/** With these a program is started so that `signalTree` reaches all that it starts: in a process group of its own. */
export const treeOptions = { detached: process.platform !== 'win32', windowsHide: true } as const

/** What sends signals; a test lends another machine's. */
export interface Signals {
  readonly platform: NodeJS.Platform
  kill(pid: number, signal: NodeJS.Signals | 0): boolean
  /** True where the program ended well. */
  run(program: string, args: readonly string[]): boolean
}

/** Signals a program and everything it started. False where nothing of it is left. */
export function signalTree(pid: number, signal: NodeJS.Signals | 0, signals: Signals = ours): boolean {
  try {
    if (signals.platform !== 'win32') return signals.kill(-pid, signal)
    if (signal === 0) return signals.kill(pid, 0)
    return signals.run(taskkill, ['/pid', String(pid), '/t', ...(signal === 'SIGKILL' ? ['/f'] : [])])
  } catch {
    // ESRCH: all of it has ended by itself. EPERM: on macOS, all that is left is a process that has ended.
    return false
  }
}

/** Windows knows no groups. By its whole path: a name alone would be looked for in the workspace first. */
const taskkill = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`

const ours: Signals = {
  platform: process.platform,
  kill: (pid, signal) => process.kill(pid, signal),
  run: (program, args) => spawnSync(program, args, { stdio: 'ignore', windowsHide: true }).status === 0,
}
