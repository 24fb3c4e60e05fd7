import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { atExit } from '../ground/at-exit.js'
import { signalTree, treeOptions } from '../ground/process-tree.js'
import { outcomeText } from '../reasons/outcome.js'
import type { ProgramCall } from '../sandbox/sandbox.js'
import { spawnCall } from '../sandbox/spawn-call.js'
import { errorCode } from '../workspace/faults.js'
import type { Stream } from './bash-output.js'

export interface BashProcessOptions {
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeout: number
  readonly signal?: AbortSignal
  readonly onBytes: (stream: Stream, bytes: Buffer) => void
}

/** The end of a command. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly signal: string | null }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not-started'; readonly reason: string }

/**
 * Runs a program without input until it ends, its time is over or the user cancels. Then everything that it started in
 * its process group is ended too. It uses Node's `spawn` and not execa: execa leaves the important parts, the group and
 * when to stop listening, to the caller, and can only keep or drop the whole output.
 */
export function runProcess(call: ProgramCall, options: BashProcessOptions): Promise<CommandEnd> {
  const child = start(call, options)
  return child instanceof Error
    ? Promise.resolve({ kind: 'not-started', reason: child.message })
    : new Promise((resolve) => new RunningCommand(child, options, resolve))
}

/** How long a process has for cleanup between the request to end and being killed. */
const grace = 150

/** How long background processes may still write after the command has ended. */
const lingerTime = 500

/** How long the pipes are read after everything was killed, because they still contain earlier output. */
const drainTime = 100

function start(call: ProgramCall, options: BashProcessOptions): ChildProcess | Error {
  try {
    return spawnCall(call, {
      cwd: options.directory,
      env: options.environment,
      ...treeOptions,
    })
  } catch (error) {
    // For example, the command line is too long.
    return new Error(whyNotStarted(error instanceof Error ? error : new Error(String(error))))
  }
}

class RunningCommand {
  readonly #child: ChildProcess
  readonly #options: BashProcessOptions
  readonly #resolve: (end: CommandEnd) => void
  readonly #forgetExit: () => void
  #timer: NodeJS.Timeout
  #end: CommandEnd | undefined

  constructor(child: ChildProcess, options: BashProcessOptions, resolve: (end: CommandEnd) => void) {
    this.#child = child
    this.#options = options
    this.#resolve = resolve
    this.#timer = setTimeout(() => this.#stop({ kind: 'timed-out' }), options.timeout)
    child.stdout?.on('data', (bytes: Buffer) => options.onBytes('stdout', bytes))
    child.stderr?.on('data', (bytes: Buffer) => options.onBytes('stderr', bytes))
    child.once('error', (error) => this.#finish({ kind: 'not-started', reason: whyNotStarted(error) }))
    child.once('exit', (code, signal) => this.#settle(exitOf(code, signal), lingerTime))
    child.once('close', () => this.#closed())
    // A separate process group does not get the terminal's Ctrl+C, but it must not outlive us.
    this.#forgetExit = atExit(() => this.#kill('SIGKILL'))
    options.signal?.addEventListener('abort', this.#cancel)
    if (options.signal?.aborted) this.#cancel()
  }

  readonly #cancel = (): void => this.#stop({ kind: 'cancelled' })

  #stop(end: CommandEnd): void {
    if (this.#end !== undefined) return
    this.#kill('SIGTERM')
    this.#settle(end, grace)
  }

  /** The first cause decides how it ended. Anything that still runs after the delay is killed. */
  #settle(end: CommandEnd, delay: number): void {
    if (this.#end !== undefined) return
    this.#end = end
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#endAll(end), delay)
  }

  /** Does not wait for killed processes: one that sleeps in the kernel or left the group may keep its pipe open. */
  #endAll(end: CommandEnd): void {
    this.#kill('SIGKILL')
    this.#timer = setTimeout(() => this.#finish(end), drainTime)
  }

  /** Both pipes are closed; a process that writes elsewhere may still use its grace. */
  #closed(): void {
    if (this.#end?.kind === 'exited' || !this.#kill(0)) this.#finish(this.#end)
  }

  #finish(
    end: CommandEnd = { kind: 'not-started', reason: 'the process ended without an error message' },
  ): void {
    clearTimeout(this.#timer)
    this.#forgetExit()
    this.#options.signal?.removeEventListener('abort', this.#cancel)
    this.#kill('SIGKILL')
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
    this.#resolve(end)
  }

  #kill(signal: NodeJS.Signals | 0): boolean {
    const group = this.#child.pid
    return group !== undefined && signalTree(group, signal)
  }
}

function whyNotStarted(error: Error): string {
  return ['EMFILE', 'ENFILE'].includes(errorCode(error)) ? outcomeText('no-free-files') : error.message
}

/** A shell reports 128 + n if signal n ended a command; so does bubblewrap, and so do we. */
function exitOf(code: number | null, signal: NodeJS.Signals | null): CommandEnd {
  const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  return { kind: 'exited', exitCode, signal: signal ?? signalOf(exitCode) }
}

function signalOf(exitCode: number): string | null {
  const [name = null] =
    Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode) ?? []
  return name
}
