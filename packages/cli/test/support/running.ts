import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { mutsumi, nobody } from './command.js'

export interface RunningOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Standard input stays open, without a word. */
  readonly openInput?: boolean
}

/** A run that is still going on. */
export function begin(
  cwd: string,
  args: readonly string[],
  { env = {}, openInput = false }: RunningOptions = {},
) {
  const child = spawn(process.execPath, [mutsumi, ...args], {
    cwd,
    env: { ...nobody, ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (!openInput) child.stdin.end()
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return { child, printed, ended }
}

export async function until(isSo: () => boolean, child: ChildProcessWithoutNullStreams): Promise<void> {
  while (!isSo() && child.exitCode === null && child.signalCode === null)
    await new Promise((resume) => setTimeout(resume, 20))
}
