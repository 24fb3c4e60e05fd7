import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { number, type output, strictObject, string } from 'zod'
import { confine } from '../sandbox/confine.js'
import {
  holdProtectedPaths,
  type ProtectedPaths,
  watchProtectedPaths,
} from '../sandbox/hold-protected-paths.js'
import { planConfinement } from '../sandbox/plan-confinement.js'
import type { ProgramCall, Sandbox } from '../sandbox/sandbox.js'
import { AllowedFolders, type Scope } from '../workspace/allowed-folders.js'
import { withOpened } from '../workspace/open-checked.js'
import { relativeTo } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import { commandEnvironment, safeSearchPath } from './bash-environment.js'
import { CommandOutput, type Stream } from './bash-output.js'
import { type CommandEnd, runCommand } from './bash-process.js'
import { toOutcome } from './bash-result.js'
import { outputLimit } from './cap-output.js'
import { defineTool, fail, type Tool, type ToolContext, type ToolOutcome } from './define-tool.js'
import { bashDescription } from './descriptions.js'
import { oneLine } from './one-line.js'
import { notAPath, parsePathArgument, refuse } from './path-argument.js'

export interface BashOptions {
  readonly sandbox: Sandbox
  /** Whether commands in the sandbox reach the network. */
  readonly network?: boolean
  /** Folders that the user opened besides the workspace's root. */
  readonly roots?: readonly string[]
  /** The variables to take over, without keys and tokens. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

const parameters = strictObject({
  command: string()
    .min(1)
    .refine((command) => !command.includes('\0'), 'holds a NUL character'),
  directory: string().default('.'),
  timeout_ms: number().int().min(1).max(600_000).default(120_000),
})

/** As much output as one call returns, and as much as Recall gives back: what the store holds even without a disk. */
const limits = { shown: outputLimit, kept: 30 * 1024 * 1024 }

/** Runs shell commands, in the sandbox that is there. */
export function createBashTool(options: BashOptions): Tool {
  const told = { unsearched: false }
  return defineTool({
    ...bashDescription,
    parameters,
    touches: ({ command, directory }) => ({
      command,
      paths: [directory],
      confined: options.sandbox.kind !== 'none',
    }),
    async run(args, context) {
      const opened = openedFolders(options, context)
      // A session may narrow what the user opened. Even a trusted one does not widen what commands may write.
      const scope = new AllowedFolders(opened, false).scopeOf(context.allowed)
      const directory = findDirectory(args.directory, scope, context)
      if (typeof directory !== 'string') return directory
      return runIn({ directory, opened, writable: scope.folders }, args, { ...options, context, told })
    },
  })
}

/** Where a command works: real paths. */
interface Place {
  readonly directory: string
  /** What the user opened. */
  readonly opened: readonly string[]
  /** What the session may use of it. */
  readonly writable: readonly string[]
}

type Surroundings = BashOptions & {
  readonly context: ToolContext
  /** What need not be said with every command. */
  readonly told: { unsearched: boolean }
}

async function runIn(
  place: Place,
  { command, timeout_ms: timeout }: output<typeof parameters>,
  surroundings: Surroundings,
): Promise<ToolOutcome> {
  const { sandbox, network = false, environment: own = process.env, context } = surroundings
  const home = realPathOf(own.HOME ?? homedir()) ?? homedir()
  const guard = sandbox.kind === 'none' ? watchProtectedPaths : holdProtectedPaths
  const paths = guard({ roots: place.opened, home })
  const collected = new CommandOutput(limits)
  const started = performance.now()
  const end = await runConfined(
    { ...place, home, paths },
    { command, timeout },
    { ...surroundings, collected },
  )
  const { changed, setAside } = paths.release()
  const shown = collected.shown()
  const named = (path: string) => relativeTo(context.workspace.root, path)
  return toOutcome({
    end,
    output: shown,
    observationId: shown.leftOut > 0 ? context.memory.observations.keep(collected.full()) : undefined,
    timeout,
    duration: Math.round(performance.now() - started),
    directory: named(place.directory),
    sandbox: sandbox.kind,
    network: network || sandbox.kind === 'none',
    protectedChanged: changed.map(named),
    setAside: setAside.map(named),
    unsearched: paths.complete ? 'no' : unsearchedAgain(surroundings),
  })
}

function unsearchedAgain({ told }: Surroundings): 'first-time' | 'again' {
  const isKnown = told.unsearched
  told.unsearched = true
  return isKnown ? 'again' : 'first-time'
}

/** A place with the user's home, and what is held in it. */
interface GuardedPlace extends Place {
  readonly home: string
  readonly paths: ProtectedPaths
}

async function runConfined(
  { directory, opened, writable, home, paths }: GuardedPlace,
  { command, timeout }: { readonly command: string; readonly timeout: number },
  surroundings: Surroundings & { readonly collected: CommandOutput },
): Promise<CommandEnd> {
  const { sandbox, network = false, environment: own = process.env, context, collected } = surroundings
  const searchPath = safeSearchPath(own.PATH, opened)
  const variables = { ...placeVariables(sandbox, directory, home), PATH: searchPath }
  try {
    const confinement = planConfinement({ directory, network, writable, paths, home, searchPath })
    return await runCommand(confine(shellCall(command), sandbox, confinement), {
      directory,
      environment: { ...commandEnvironment(own), ...variables },
      timeout,
      ...(context.signal && { signal: context.signal }),
      onBytes: (stream, bytes) => tell(stream, collected.add(stream, bytes)),
    })
  } finally {
    for (const stream of ['stdout', 'stderr'] as const) tell(stream, collected.end(stream))
    paths.release()
  }

  function tell(stream: Stream, text: string): void {
    if (text !== '') context.onEvent?.({ type: 'tool-output', stream, text })
  }
}

/** Inside bubblewrap the temporary folder is a private one. */
function placeVariables(sandbox: Sandbox, directory: string, home: string): Record<string, string> {
  const place = { HOME: home, PWD: directory }
  return sandbox.kind === 'bubblewrap' ? { ...place, TMPDIR: '/tmp' } : place
}

/** Fixed places, not PATH: the project may have put a `bash` of its own there. */
const shells = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash']

/** `--` because a command may begin with a dash. */
function shellCall(command: string): ProgramCall {
  return { program: shells.find((shell) => existsSync(shell)) ?? '/bin/sh', args: ['-c', '--', command] }
}

function openedFolders({ roots = [] }: BashOptions, { workspace }: ToolContext): string[] {
  return [workspace.root, ...roots.flatMap((root) => realPathOf(root) ?? [])]
}

/** The real path of the folder to start in. */
function findDirectory(path: string, scope: Scope, { workspace }: ToolContext): string | ToolOutcome {
  const argument = parsePathArgument(path, workspace.root)
  if (argument === undefined) return notAPath(path)
  const found = withOpened(argument.absolute, scope.admits, ({ stat, realPath }) => ({
    kind: stat.isDirectory() ? ('folder' as const) : ('file' as const),
    realPath,
  }))
  if (found.kind === 'fault') return refuse(argument, found)
  return found.kind === 'folder'
    ? found.realPath
    : fail('INVALID_PARAM', `directory: ${oneLine(argument.shown)} is not a folder`)
}
