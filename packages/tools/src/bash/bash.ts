import { randomUUID } from 'node:crypto'
import { number, type output, strictObject, string } from 'zod'
import { isReadOnlyLine } from '../command-line/read-only.js'
import { outputLimit } from '../contract/cap-output.js'
import { defineTool, fail, type Tool, type ToolContext, type ToolOutcome } from '../contract/define-tool.js'
import { notAPath, parsePathArgument, refuse } from '../contract/path-argument.js'
import { atExit } from '../ground/at-exit.js'
import { endMarked, markerName } from '../ground/marked-processes.js'
import { oneLine } from '../ground/one-line.js'
import { bashDescription } from '../prompts/descriptions.js'
import { outcomeText, readOutcome } from '../reasons/outcome.js'
import { systemFolders } from '../sandbox/bubblewrap.js'
import type { CommandJournal } from '../sandbox/command-journal.js'
import { confine } from '../sandbox/confine.js'
import { sandboxRefusal, unconfinedNote } from '../sandbox/describe-sandbox.js'
import { watchEntries } from '../sandbox/entry-watch.js'
import { findDenied } from '../sandbox/find-denied.js'
import { findProtected, type ProtectedPaths } from '../sandbox/find-protected.js'
import {
  type KnownEntries,
  knownEntries,
  removeNewEntries,
  watchedFolders,
} from '../sandbox/foreign-entries.js'
import { rememberSockets } from '../sandbox/foreign-sockets.js'
import { watchHeld } from '../sandbox/held-watch.js'
import { ownFilesIn } from '../sandbox/own-files.js'
import { ownLinksIn, restoreOwnLinks } from '../sandbox/own-links.js'
import { planConfinement, withoutDenied } from '../sandbox/plan-confinement.js'
import { watchPointers } from '../sandbox/pointer-watch.js'
import { changesBetween } from '../sandbox/protected-changes.js'
import type { Confinement, ProgramCall, Sandbox } from '../sandbox/sandbox.js'
import type { SandboxMode } from '../sandbox/sandbox-mode.js'
import { whyNotHeld } from '../sandbox/why-not-held.js'
import { Watchers } from '../tracking/watchers.js'
import { userConfigFolder, userStateFolder } from '../user/user-config.js'
import { userHome } from '../user/user-home.js'
import { AllowedFolders, type ReadScope } from '../workspace/allowed-folders.js'
import { withOpened } from '../workspace/open-checked.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'
import { Leftovers, warnOfChanged } from './aftermath.js'
import { commandEnvironment, safeSearchPath } from './bash-environment.js'
import { CommandOutput, type Stream } from './bash-output.js'
import { type CommandEnd, runProcess } from './bash-process.js'
import { commandOutcome } from './bash-result.js'
import { findShell, noShell } from './shell.js'

export interface BashOptions {
  readonly sandbox: Sandbox
  /** If there is no sandbox, `auto` warns once and `require` refuses. */
  readonly mode?: SandboxMode
  /** The project's setting that requires it. No flag can weaken it. */
  readonly requiredBy?: string
  /** Whether commands in the sandbox have network access. */
  readonly network?: boolean
  /** Folders that the user opened besides the workspace's root. */
  readonly roots?: readonly string[]
  /** The variables to pass on, without keys and tokens. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

const parameters = strictObject({
  command: string()
    .min(1)
    .refine((command) => !command.includes('\0'), 'contains a NUL character'),
  directory: string().default('.'),
  timeout_ms: number().int().min(1).max(600_000).default(120_000),
})

/** How much output one call returns, and how much Recall returns: the store keeps that much even without a disk. */
const limits = { shown: outputLimit, kept: 30 * 1024 * 1024 }

/** Runs shell commands, in a sandbox if there is one. */
export function createBashTool(options: BashOptions): Tool {
  const told = { unsearched: false, unconfined: false }
  const watchers = new Watchers()
  const leftovers = new Leftovers()
  const refusal = refusalOf(options)
  return defineTool({
    ...bashDescription,
    parameters,
    touches: ({ command, directory }) => ({
      command,
      paths: [directory],
      confined: options.sandbox.kind !== 'none',
      ...(refusal !== undefined && { refusal }),
    }),
    async undoReach({ command }, context) {
      if (typeof command !== 'string') return undefined
      return watchers.reach({ command, folders: openedFolders(options, context), home: homeOf(options) })
    },
    async run(args, context) {
      if (refusal !== undefined) return fail('PERMISSION_DENIED', refusal)
      const opened = openedFolders(options, context)
      // A session may narrow the folders that the user opened. Even a trusted one does not widen where commands may
      // write.
      const scope = new AllowedFolders(opened).scopeOf(context.allowed)
      const directory = findDirectory(args.directory, scope, context)
      if (typeof directory !== 'string') return directory
      const place = { directory, opened, writable: scope.folders }
      return runIn(place, args, { ...options, context, told, watchers, leftovers })
    },
  })
}

/** The folders of a command, as real paths. */
interface CommandFolders {
  readonly directory: string
  /** Folders that the user opened. */
  readonly opened: readonly string[]
  /** The part of them that the session may use. */
  readonly writable: readonly string[]
}

type Surroundings = BashOptions & {
  readonly context: ToolContext
  /** State that lasts over several commands. */
  readonly told: { unsearched: boolean; unconfined: boolean }
  readonly watchers: Watchers
  readonly leftovers: Leftovers
}

function refusalOf({ sandbox, mode, requiredBy }: BashOptions): string | undefined {
  return sandbox.kind === 'none' && mode === 'require' ? sandboxRefusal(sandbox, requiredBy) : undefined
}

/** Shown with the first command only. A user who switched the sandbox off knows it. */
function warnUnconfined({ sandbox, mode = 'auto', told, context }: Surroundings): void {
  if (sandbox.kind !== 'none' || mode === 'off' || told.unconfined) return
  told.unconfined = true
  const message = unconfinedNote(sandbox)
  const phrase = readOutcome(message)
  const warning = { code: 'no-sandbox', source: 'Bash', message, ...(phrase && { phrase }) }
  context.onEvent?.({ type: 'warning', warning })
}

async function runIn(
  place: CommandFolders,
  { command, timeout_ms: timeout }: output<typeof parameters>,
  surroundings: Surroundings,
): Promise<ToolOutcome> {
  const { context, leftovers } = surroundings
  warnUnconfined(surroundings)
  const journal = leftovers.openJournal(place.opened[0] ?? '', context)
  try {
    return await runNoted(place, { command, timeout }, { ...surroundings, journal })
  } finally {
    journal?.end()
  }
}

/** Runs a command that is noted in the journal. */
async function runNoted(
  place: CommandFolders,
  { command, timeout }: Command,
  surroundings: Surroundings & { readonly journal: CommandJournal | undefined },
): Promise<ToolOutcome> {
  const { sandbox, network = false, context, watchers, leftovers, journal } = surroundings
  const home = homeOf(surroundings)
  // The search after the previous command was complete.
  const own = ownFilesIn(place.opened, programsOf(sandbox))
  const paths = findProtected(place.opened, home, { packages: 'as-known', own })
  const refusal = whyNotHeld(paths, own, sandbox)
  if (refusal !== undefined) return fail('PERMISSION_DENIED', refusal)
  // Node looks for a package only once, so a command cannot put another one nearer to us.
  if (own.length > 0) await import('@vscode/ripgrep').catch(() => undefined)
  const confinement = confinementOf({ ...place, home, paths }, surroundings)
  if (typeof confinement === 'string') return fail('PERMISSION_DENIED', confinement)
  const stuck = leftovers.refusal(paths, context.workspace)
  if (stuck !== undefined) return fail('PERMISSION_DENIED', stuck)
  const marker = sandbox.kind === 'bubblewrap' ? '' : randomUUID()
  const isConfined = sandbox.kind !== 'none'
  const known = knownEntries(isConfined ? paths.gitFolders : [])
  const notes = { journal, marker, known: isConfined ? known : undefined }
  const before = leftovers.before(paths, { opened: place.opened, home }, notes)
  const { denied = [], changes } = context
  const watch = await watchers.begin({ command, folders: place.opened, home, denied }, changes)
  const ownLinks = own.length === 0 ? [] : ownLinksIn(place.opened)
  const collected = new CommandOutput(limits)
  const started = performance.now()
  const { end, pointers, replaced, ...watched } = await runGuarded(
    { ...place, home, paths, confinement },
    { command, timeout },
    { ...surroundings, collected, known, marker },
  ).catch(async (error) => {
    // It may have run.
    restoreOwnLinks(ownLinks)
    await leftovers.after(before, { opened: place.opened, home }, context)
    throw error
  })
  const restored = restoreOwnLinks(ownLinks)
  const way = isReadOnlyLine(command) ? 'own' : 'whole'
  const removed = isConfined ? removeNewEntries(paths.gitFolders, known, way) : []
  const { found, state, aftermath } = await leftovers.after(before, { opened: place.opened, home }, context)
  const made = found.gitFolders.filter((folder) => !paths.gitFolders.some((old) => isInside(old, folder)))
  const removedInNew = isConfined ? removeNewEntries(made, known) : []
  const links = [...new Set([...watched.links, ...removed, ...removedInNew])]
  rememberSockets(paths.sockets, found.sockets)
  const unrestored = (await watch?.end()) ?? []
  const shown = collected.shown()
  const named = (path: string) => relativeTo(context.workspace.root, path)
  const changed = changesBetween(before.state, state).filter((path) => !aftermath.isSettled(path))
  warnOfChanged(changed.map(named), context)
  return commandOutcome({
    end,
    output: shown,
    errorsIn: (text) => collected.errorsIn(text, shown),
    observationId: shown.leftOut > 0 ? context.memory.observations.keep(collected.full()) : undefined,
    timeout,
    duration: Math.round(performance.now() - started),
    directory: named(place.directory),
    sandbox: sandbox.kind,
    network: network || sandbox.kind === 'none',
    protectedChanged: [...changed, ...pointers, ...links, ...restored].map(named),
    pointers: pointers.map(named),
    links: links.map(named),
    ownLinks: restored.map(named),
    replaced: replaced.map(named),
    aftermath,
    unrestored,
    unsearched: paths.complete && found.searched ? 'no' : unsearchedAgain(surroundings),
  })
}

/** The programs that run outside the sandbox when a command is started. */
function programsOf(sandbox: Sandbox): string[] {
  const programs = sandbox.kind === 'none' ? [] : [sandbox.program]
  return [...programs, ...[findShell()].filter((shell) => shell !== undefined)]
}

const tooMuchDenied = outcomeText('too-much-denied')

const deniedFolder = outcomeText('denied-folder')

/**
 * Why the command cannot run if rules deny reading and the sandbox cannot enforce them. Without a sandbox the gate has
 * asked the user.
 */
function confinementOf(
  { directory, opened, writable, home, paths }: Omit<GuardedPlace, 'confinement'>,
  { sandbox, network = false, environment: own = process.env, context }: Surroundings,
): Confinement | string {
  const searchPath = safeSearchPath(own.PATH, opened)
  const ownFolders = [userStateFolder(own, home), userConfigFolder(own, home)]
  const plan = planConfinement({ directory, network, writable, paths, home, searchPath, own: ownFolders })
  const { denied: patterns = [] } = context
  if (patterns.length === 0 || sandbox.kind === 'none') return plan
  const shown = sandbox.kind === 'seatbelt' ? ['/'] : [...systemFolders, ...plan.readable, ...writable]
  const denied = findDenied(patterns, { roots: opened, home, visible: shown })
  if (!denied.complete) return tooMuchDenied
  return denied.found.some(({ path }) => isInside(path, directory))
    ? deniedFolder
    : withoutDenied(plan, denied.found, denied.above)
}

function homeOf({ environment: own = process.env }: BashOptions): string {
  const home = userHome(own)
  return realPathOf(home) ?? home
}

function unsearchedAgain({ told }: Surroundings): 'first-time' | 'again' {
  const isKnown = told.unsearched
  told.unsearched = true
  return isKnown ? 'again' : 'first-time'
}

/** The folders with the user's home, and the protected paths in them. */
interface GuardedPlace extends CommandFolders {
  readonly home: string
  readonly paths: ProtectedPaths
  readonly confinement: Confinement
}

type Listening = Surroundings & {
  readonly collected: CommandOutput
  readonly known: KnownEntries
  /** For the environment of its processes. Empty if the sandbox ends them. */
  readonly marker: string
}

interface Command {
  readonly command: string
  readonly timeout: number
}

interface GuardedEnd {
  readonly end: CommandEnd
  /** Files that it created to redirect a repository. */
  readonly pointers: readonly string[]
  /** Links and the like that it created in a repository's folder. */
  readonly links: readonly string[]
  /** Paths that another program replaced, so that they were no longer protected. */
  readonly replaced: readonly string[]
}

/** While a command runs, we replace the lock and the index beside a session, but never a session itself. */
function isReplacedByNobody(path: string): boolean {
  return /\.mtm(?:\.d)?$|\/\.mutsumi\/sessions$/i.test(path)
}

/** A command that the sandbox no longer confines is ended. Without a sandbox, it may do anything that the user may. */
async function runGuarded(
  place: GuardedPlace,
  command: Command,
  surroundings: Listening,
): Promise<GuardedEnd> {
  const { sandbox, context, known } = surroundings
  const breach = new AbortController()
  const signals = [breach.signal, ...(context.signal ? [context.signal] : [])]
  const gitFolders = sandbox.kind === 'none' ? [] : place.paths.gitFolders
  const { protected: places, pinned, secrets } = place.confinement
  const sessions = secrets.map(({ path }) => path).filter(isReplacedByNobody)
  // A watch for each folder above a place would double the time of a short command.
  const ofGit = pinned.filter((path) => gitFolders.some((folder) => isInside(folder, path)))
  // Seatbelt protects by name, so new files are protected as well.
  const mounts = sandbox.kind === 'bubblewrap' ? [...places, ...ofGit, ...sessions] : []
  const pointers = watchPointers(gitFolders, () => breach.abort())
  const entries = watchEntries(watchedFolders(gitFolders), known, () => breach.abort())
  const held = watchHeld(mounts, () => breach.abort())
  try {
    const end = await runConfined(place, command, { ...surroundings, signal: AbortSignal.any(signals) })
    return { end, pointers: pointers.stop(), links: entries.stop(), replaced: held.stop() }
  } finally {
    pointers.stop()
    entries.stop()
    held.stop()
  }
}

async function runConfined(
  { directory, opened, home, confinement }: GuardedPlace,
  { command, timeout }: Command,
  surroundings: Listening & { readonly signal: AbortSignal },
): Promise<CommandEnd> {
  const { sandbox, environment: own = process.env, context, collected } = surroundings
  const shell = findShell()
  if (shell === undefined) return { kind: 'not-started', reason: noShell }
  const { marker } = surroundings
  const variables = {
    ...placeVariables(sandbox, directory, home),
    PATH: safeSearchPath(own.PATH, opened),
    ...(marker !== '' && { [markerName]: marker }),
  }
  const forgetExit = marker === '' ? undefined : atExit(() => endMarked(marker))
  try {
    return await runProcess(confine(shellCall(shell, command), sandbox, confinement), {
      directory,
      environment: { ...commandEnvironment(own, { confined: sandbox.kind !== 'none' }), ...variables },
      timeout,
      signal: surroundings.signal,
      onBytes: (stream, bytes) => tell(stream, collected.add(stream, bytes)),
    })
  } finally {
    forgetExit?.()
    if (marker !== '') endMarked(marker)
    for (const stream of ['stdout', 'stderr'] as const) tell(stream, collected.end(stream))
  }

  function tell(stream: Stream, text: string): void {
    if (text !== '') context.onEvent?.({ type: 'tool-output', stream, text })
  }
}

/** Inside bubblewrap the temporary folder is private. */
function placeVariables(sandbox: Sandbox, directory: string, home: string): Record<string, string> {
  const place = { HOME: home, PWD: directory }
  return sandbox.kind === 'bubblewrap' ? { ...place, TMPDIR: '/tmp' } : place
}

/** `--` because a command may begin with a dash. */
function shellCall(program: string, command: string): ProgramCall {
  return { program, args: ['-c', '--', command] }
}

function openedFolders({ roots = [] }: BashOptions, { workspace }: Pick<ToolContext, 'workspace'>): string[] {
  return [workspace.root, ...roots.flatMap((root) => realPathOf(root) ?? [])]
}

/** The real path of the folder to start in. */
function findDirectory(path: string, scope: ReadScope, { workspace }: ToolContext): string | ToolOutcome {
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
