import { accessSync, constants } from 'node:fs'
import { outcomeText } from '../reasons/outcome.js'
import { confine } from './confine.js'
import type { Confinement, ProgramCall, Sandbox } from './sandbox.js'
import type { SandboxMode } from './sandbox-mode.js'
import { spawnCall } from './spawn-call.js'

export interface SandboxSearch {
  readonly platform?: NodeJS.Platform
  /** The possible places of the sandbox's program. */
  readonly programs?: readonly string[]
  readonly mode?: SandboxMode
}

/** Finds a sandbox for commands and tries it, because an installed program may still not work. */
export async function detectSandbox({
  platform = process.platform,
  programs = programsOf(platform),
  mode = 'auto',
}: SandboxSearch = {}): Promise<Sandbox> {
  if (mode === 'off') return { kind: 'none', reason: outcomeText('switched-off') }
  const kind = kindOf(platform)
  if (kind === undefined) return { kind: 'none', reason: outcomeText('no-sandbox-for', platform) }
  const program = programs.find(isExecutable)
  if (program === undefined)
    return { kind: 'none', reason: outcomeText('sandbox-not-installed', nameOf(kind)), ...installation(kind) }
  const failures: string[] = []
  for (const sandbox of waysToUse(kind, program)) {
    const failure = await failureOf(sandbox)
    if (failure === undefined) return sandbox
    failures.push(failure)
  }
  return {
    kind: 'none',
    reason: outcomeText('sandbox-does-not-work', nameOf(kind), failures[0] ?? ''),
    remedy: outcomeText('allow-namespaces'),
  }
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

/** The command of this machine's package manager. Seatbelt is part of macOS and cannot be installed. */
function installation(kind: Kind): { readonly remedy?: string } {
  if (kind === 'seatbelt') return {}
  const [, way = 'install-somehow'] = installers.find(([path]) => isExecutable(path)) ?? []
  return { remedy: outcomeText(way) }
}

const installers = [
  ['/usr/bin/apt-get', 'install-by-apt'],
  ['/usr/bin/dnf', 'install-by-dnf'],
  ['/usr/bin/pacman', 'install-by-pacman'],
  ['/usr/bin/zypper', 'install-by-zypper'],
  ['/sbin/apk', 'install-by-apk'],
] as const

/** Fixed places, not PATH, because `npm run` puts the project's own programs first. */
function programsOf(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'darwin') return ['/usr/bin/sandbox-exec']
  return ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap']
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing or not executable: the next place is tried.
    return false
  }
}

/** The strictest first. Before 0.8 bubblewrap could not switch user namespaces off; in some containers it still cannot. */
function waysToUse(kind: Kind, program: string): readonly Sandbox[] {
  const sandbox = { kind, program }
  return kind === 'bubblewrap' ? [sandbox, { kind, program, leavesUserNamespaces: true }] : [sandbox]
}

const nothing: Confinement = {
  directory: '/',
  network: false,
  isRoot: process.getuid?.() === 0,
  writable: [],
  pinned: [],
  protected: [],
  absent: [],
  homes: [],
  links: new Map(),
  readable: [],
  secrets: [],
  denied: [],
}

/** Opens the files without writing. If that succeeds, a command could set what the kernel runs when a program crashes. */
const linuxProbe = `for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger; do
  if [ -e "$file" ] && (: >> "$file") 2>/dev/null; then echo "it leaves $file writable" >&2; exit 1; fi
done`

async function failureOf(sandbox: Sandbox): Promise<string | undefined> {
  const script = sandbox.kind === 'bubblewrap' ? linuxProbe : 'true'
  return endOf(confine({ program: '/bin/sh', args: ['-c', script] }, sandbox, nothing))
}

/** Undefined if the program succeeded; otherwise its last line, which is the most useful one. */
function endOf(call: ProgramCall): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawnCall(call, { cwd: '/', env: {}, timeout: probeTimeout, killSignal: 'SIGKILL' })
    let complaint = ''
    child.stdout?.resume()
    child.stderr?.on('data', (bytes: Buffer) => {
      complaint = `${complaint}${bytes}`.slice(-10_000)
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => {
      const lastLine = complaint.trim().split('\n').at(-1)
      resolve(code === 0 ? undefined : lastLine || `it ended with ${signal ?? code}`)
    })
  })
}
