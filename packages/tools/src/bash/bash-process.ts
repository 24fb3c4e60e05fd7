import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { atExit } from '../ground/at-exit.js'
import { signalTree, treeOptions } from '../ground/process-tree.js'
import type { ProgramCall } from '../sandbox/sandbox.js'
import { spawnCall } from '../sandbox/spawn-call.js'
import type { Stream } from './bash-output.js'

export interface BashProcessOptions {
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeout: number
  readonly signal?: AbortSignal
  readonly onBytes: (stream: Stream, bytes: Buffer) => void
}

/** How a command came to its end. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly signal: string | null }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not-started'; readonly reason: string }

/**
 * Runs a program without input until it ends, its time is over or the user cancels; then everything it started
 * in its process group is ended too. Node's own `spawn` rather than execa: what matters here, the group and
 * when to stop listening, execa leaves to the caller, and it would keep or drop the output as a whole.
 */
export function runProcess(call: ProgramCall, options: BashProcessOptions): Promise<CommandEnd> {
  const child = start(call, options)
  return child instanceof Error
    ? Promise.resolve({ kind: 'not-started', reason: child.message })
    : new Promise((resolve) => new RunningCommand(child, options, resolve))
}

/** How long a process may tidy up between being asked to end and being ended. */
const grace = 150

/** How long what a command left in the background may still write once the command is over. */
const lingerTime = 500

/** How long the pipes are read once everything is killed: what was written before is still in them. */
const drainTime = 100

function start(call: ProgramCall, options: BashProcessOptions): ChildProcess | Error {
  try {
    return spawnCall(call, {
      cwd: options.directory,
      env: options.environment,
      ...treeOptions,
    })
  } catch (error) {
    // A command line that is too long, for one.
    return error instanceof Error ? error : new Error(String(error))
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
    child.once('error', (error) => this.#finish({ kind: 'not-started', reason: error.message }))
    child.once('exit', (code, signal) => this.#settle(exitOf(code, signal), lingerTime))
    child.once('close', () => this.#closed())
    // A group of its own does not hear the terminal's Ctrl+C: it must not outlive us.
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

  /** What comes first decides how it ended; whatever still runs after the delay is ended. */
  #settle(end: CommandEnd, delay: number): void {
    if (this.#end !== undefined) return
    this.#end = end
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#endAll(end), delay)
  }

  /** Does not wait for the killed: a process asleep in the kernel, or gone from the group, may keep its pipe. */
  #endAll(end: CommandEnd): void {
    this.#kill('SIGKILL')
    this.#timer = setTimeout(() => this.#finish(end), drainTime)
  }

  /** Both pipes are closed; a process that writes elsewhere may still use its grace. */
  #closed(): void {
    if (this.#end?.kind === 'exited' || !this.#kill(0)) this.#finish(this.#end)
  }

  #finish(end: CommandEnd = { kind: 'not-started', reason: 'the process ended without a word' }): void {
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

/** A shell says 128 + n where signal n ended a command; so does bubblewrap, and so do we. */
function exitOf(code: number | null, signal: NodeJS.Signals | null): CommandEnd {
  const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  return { kind: 'exited', exitCode, signal: signal ?? signalOf(exitCode) }
}

function signalOf(exitCode: number): string | null {
  const [name = null] =
    Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode) ?? []
  return name
}
