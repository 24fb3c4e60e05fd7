import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { promisify } from 'node:util'
import { confine } from './confine.js'
import type { Confinement, Sandbox } from './sandbox.js'

export interface SandboxSearch {
  readonly platform?: NodeJS.Platform
  /** Where the sandbox's program may lie. */
  readonly programs?: readonly string[]
}

/** Finds what can confine commands here, and tries it: a program that is installed may still not work. */
export async function detectSandbox({
  platform = process.platform,
  programs = programsOf(platform),
}: SandboxSearch = {}): Promise<Sandbox> {
  const kind = kindOf(platform)
  if (kind === undefined) return { kind: 'none', reason: `there is no sandbox for ${platform}` }
  const program = programs.find(isExecutable)
  if (program === undefined) return { kind: 'none', reason: `${nameOf(kind)} is not installed` }
  const failure = await failureOf({ kind, program })
  return failure === undefined
    ? { kind, program }
    : { kind: 'none', reason: `${nameOf(kind)} does not work here: ${failure}` }
}

type Kind = Exclude<Sandbox['kind'], 'none'>

const probeTimeout = 5000

function kindOf(platform: NodeJS.Platform): Kind | undefined {
  if (platform === 'linux') return 'bubblewrap'
  return platform === 'darwin' ? 'seatbelt' : undefined
}

function nameOf(kind: Kind): string {
  return kind === 'bubblewrap' ? 'bubblewrap (bwrap)' : 'Seatbelt (sandbox-exec)'
}

/** Fixed places, not PATH: `npm run` puts the project's own programs first there. */
function programsOf(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'darwin') return ['/usr/bin/sandbox-exec']
  return ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap']
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing, or not ours to run: the next place is tried.
    return false
  }
}

const nothing: Confinement = {
  directory: '/',
  network: false,
  writable: [],
  pinned: [],
  protected: [],
  homes: [],
  readable: [],
  secrets: [],
}

async function failureOf(sandbox: Sandbox): Promise<string | undefined> {
  const { program, args } = confine({ program: '/bin/sh', args: ['-c', 'true'] }, sandbox, nothing)
  try {
    await promisify(execFile)(program, [...args], { timeout: probeTimeout, env: {} })
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

/** The program's own last line says most; Node's message would repeat the whole command line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const complaint = 'stderr' in error ? String(error.stderr).trim().split('\n').at(-1) : undefined
  return complaint || ('code' in error ? `it ended with ${error.code}` : error.message)
}
