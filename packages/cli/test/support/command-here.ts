import type { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { vi } from 'vitest'
import { runCommand } from '../../src/run-command.js'
import { type CommandResult, nobody, type RunOptions } from './command.js'

type HereOptions = Omit<RunOptions, 'command'>
type Listener = (...values: unknown[]) => void

/**
 * Runs the command in this process, which is many times faster than to start one. For commands that end by themselves;
 * signals, pipes, the start and the end need the real command (`command.ts`). Runs that are asked for together go one
 * after the other, because a process has one folder and one output.
 */
export function run(cwd: string, args: readonly string[], options: HereOptions = {}): Promise<CommandResult> {
  const result = last.then(() => runAlone(cwd, args, options))
  last = result.catch(() => undefined)
  return result
}

let last: Promise<unknown> = Promise.resolve()

async function runAlone(
  cwd: string,
  args: readonly string[],
  { input = '', env = {} }: HereOptions,
): Promise<CommandResult> {
  const printed = { stdout: '', stderr: '' }
  const undo = [
    enterFolder(cwd),
    becomeEnvironment({ ...nobody, ...env }),
    giveInput(input),
    takeOutput('stdout', printed),
    takeOutput('stderr', printed),
    takeExitCode(),
    keepListeners(process, ['SIGINT', 'SIGTERM', 'SIGHUP']),
    keepListeners(process.stdout, ['error']),
    keepListeners(process.stderr, ['error']),
  ]
  try {
    await runCommand(args)
    return { code: Number(process.exitCode ?? 0), ...printed }
  } finally {
    for (const restore of undo.reverse()) restore()
  }
}

/** Runs it with --json and reads what it prints. */
export async function runJson(cwd: string, args: readonly string[], options: HereOptions = {}) {
  const result = await run(cwd, [...args, '--json'], options)
  if (result.code !== 0) throw new Error(`exit code ${result.code}: ${result.stderr}`)
  return JSON.parse(result.stdout)
}

function enterFolder(folder: string): () => void {
  const before = process.cwd()
  process.chdir(folder)
  return () => process.chdir(before)
}

function becomeEnvironment(variables: Readonly<Record<string, string | undefined>>): () => void {
  const before = { ...process.env }
  become(variables)
  return () => become(before)
}

function become(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (variables[name] === undefined) delete process.env[name]
  Object.assign(process.env, variables)
}

function giveInput(input: string): () => void {
  const own = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {}
  Object.defineProperty(process, 'stdin', {
    value: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    configurable: true,
  })
  return () => void Object.defineProperty(process, 'stdin', own)
}

function takeOutput(name: 'stdout' | 'stderr', printed: { stdout: string; stderr: string }): () => void {
  const write = vi.spyOn(process[name], 'write').mockImplementation((text, ...rest: unknown[]) => {
    printed[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8')
    const done = rest.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return true
  })
  return () => write.mockRestore()
}

function takeExitCode(): () => void {
  const before = process.exitCode
  process.exitCode = undefined
  return () => {
    process.exitCode = before
  }
}

/** A run listens until its process ends, so this takes its listeners away, and brings back those that it took. */
function keepListeners(emitter: EventEmitter, events: readonly string[]): () => void {
  const before = events.map((event) => [event, emitter.rawListeners(event) as Listener[]] as const)
  return () => {
    for (const [event, listeners] of before) {
      emitter.removeAllListeners(event)
      for (const listener of listeners) emitter.on(event, listener)
    }
  }
}
