import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { Writable } from 'node:stream'
import type { ProgramCall } from './sandbox.js'

/** Starts a program without input, with pipes for its output and errors, and passes it the filter that it waits for. */
export function spawnCall({ program, args, filter }: ProgramCall, options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe', ...(filter ? (['pipe'] as const) : [])],
  })
  // The caller hears of it too. But without a free descriptor there are no pipes yet, and an error that
  // nobody hears ends our process.
  child.on('error', () => undefined)
  const end = (child.stdio as ChildProcess['stdio'] | undefined)?.[3]
  // A program that could not be started reads nothing; its own error says so.
  if (filter && end instanceof Writable) end.on('error', () => undefined).end(filter)
  return child
}
