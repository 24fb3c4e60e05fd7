import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { signalTree, treeOptions } from '../ground/process-tree.js'
import { longestMessage, tooLong } from './message-limit.js'

export interface ChildOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/** How much of the end of a server's standard error is kept. It usually says why the server died. */
const keptErrors = 1_000
/** How long a server may take to end by itself, and again after a signal. */
const graceMs = 700
/**
 * After a piece of output with more messages than this, nothing is read for a moment, so that a server that floods us
 * with messages waits for us, and everything else here goes on.
 */
const crowd = 50
const restMs = 10

/**
 * A server as a child process. The SDK's own transport ends only the process that it started: with `npx server` that
 * is npx, and a hanging server stays alive. This one has a process group and ends all of it.
 */
export class ChildTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #options: ChildOptions
  readonly #buffer = new ReadBuffer({ maxBufferSize: longestMessage })
  #child: ChildProcessWithoutNullStreams | undefined
  #errors = ''

  constructor(options: ChildOptions) {
    this.#options = options
  }

  /** The end of the server's standard error. */
  get lastErrors(): string {
    return this.#errors
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options
    const child = spawn(command, args, { env, cwd, ...treeOptions })
    // At once, so that closing works even before the server reports that it runs.
    this.#child = child
    this.#listen(child)
    await once(child, 'spawn')
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin?.writable) throw new Error('the server has stopped')
    await new Promise<void>((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Ends a server in three steps: its input is closed, then it gets a signal, then it is killed. */
  async close(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) return
    const ended = hasEnded(child) ? Promise.resolve() : once(child, 'exit')
    child.stdin.end()
    await Promise.race([ended, pause()])
    if (!hasEnded(child)) this.#signal('SIGTERM')
    await Promise.race([ended, pause()])
    this.kill()
  }

  /** Kills it at once, with everything that it started. */
  kill(): void {
    if (this.#child === undefined) return
    this.#signal('SIGKILL')
    this.#child = undefined
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid
    if (pid !== undefined) signalTree(pid, signal)
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    child.on('error', (error) => this.onerror?.(error))
    child.stdin.on('error', (error) => this.onerror?.(error))
    child.stdout.on('data', (bytes: Buffer) => this.#take(bytes))
    child.stderr.on('data', (bytes: Buffer) => {
      this.#errors = (this.#errors + bytes.toString('utf8')).slice(-keptErrors)
    })
    child.once('close', () => {
      this.kill()
      this.onclose?.()
    })
  }

  #take(bytes: Buffer): void {
    try {
      this.#buffer.append(bytes)
    } catch (error) {
      // A message above the limit: nothing after it could be parsed.
      this.#errors = tooLong
      this.#report(error)
      this.kill()
      return
    }
    let messages = 0
    while (this.#takeMessage()) messages++
    if (messages > crowd) this.#rest()
  }

  #rest(): void {
    const output = this.#child?.stdout
    output?.pause()
    setTimeout(() => output?.resume(), restMs)
  }

  /** False if there is no complete message left. A line that is not a message, such as debug output, is skipped. */
  #takeMessage(): boolean {
    try {
      const message = this.#buffer.readMessage()
      if (message === null) return false
      this.onmessage?.(message)
    } catch (error) {
      this.#report(error)
    }
    return true
  }

  #report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Does not keep our own process alive. */
function pause(): Promise<void> {
  return delay(graceMs, undefined, { ref: false })
}

function hasEnded({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null
}
