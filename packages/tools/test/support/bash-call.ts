import { readFileSync } from 'node:fs'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { type BashOptions, createBashTool } from '../../src/bash/bash.js'
import type { ToolEvent } from '../../src/contract/define-tool.js'
import { createToolRunner } from '../../src/contract/tool-runner.js'
import { createSessionMemory, type SessionMemory } from '../../src/session-memory/session-memory.js'
import { Workspace } from '../../src/workspace/workspace.js'

export interface BashCall extends Partial<BashOptions> {
  readonly args?: JsonObject
  readonly allowed?: readonly string[]
  readonly signal?: AbortSignal
  readonly memory?: SessionMemory
  readonly onEvent?: (event: ToolEvent) => void
}

export const unsandboxed = { kind: 'none', reason: 'not wanted in this test' } as const

/** Runs a command the way a session does, permitted; without a sandbox where none is given. */
export function bash(folder: string, command: string, call: BashCall = {}): Promise<ToolResult> {
  const { args, allowed = [folder], signal, memory = createSessionMemory(), onEvent, ...options } = call
  const runner = createToolRunner({
    workspace: new Workspace({ root: folder }),
    tools: [createBashTool({ sandbox: unsandboxed, mode: 'off', ...options })],
    permit: () => ({ granted: true }),
    memory,
    ...(onEvent && { onEvent: (_, event) => onEvent(event) }),
  })
  return runner.run({ name: 'Bash', args: { command, ...args } }, { allowed, ...(signal && { signal }) })
}

/** A process that has ended and waits for its parent counts as gone. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isZombie(pid)
  } catch {
    // ESRCH: there is none.
    return false
  }
}

function isZombie(pid: number): boolean {
  return process.platform === 'linux' && /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
