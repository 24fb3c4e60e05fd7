import { accessSync, constants, lstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { examineServers, type ServerFinding, storedRuleProblems } from '@mutsumi/host'
import { safeJson, safeLine } from '@mutsumi/schema'
import { detectSandbox } from '@mutsumi/tools'
import {
  describeRemainder,
  describeSandbox,
  findShell,
  noShell,
  openPermissionStore,
  realPathOf,
  roomOfCopies,
  userConfigFolder,
} from '@mutsumi/tools/parts'
import {
  type ExaminedRun,
  examineRun,
  type RunSettingsOptions,
  warnOfMisspeltVariables,
} from '../config/run-settings.js'
import type { Check } from '../models/check.js'
import { checkModel } from '../models/check-model.js'
import { type ChosenPlace, openHost, placeOf, strangerNote } from '../place/place.js'
import { sessionsPlace } from '../sessions/sessions-place.js'
import { count as counted } from '../terminal/amounts.js'
import { fitColumn } from '../terminal/columns.js'
import { describeLocale, describeTerminal } from '../terminal/describe-terminal.js'
import { Failure } from '../terminal/failure.js'
import { printLine, printReport } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { queryTerminal } from '../terminal/query-terminal.js'
import { say, sayFault, sayRefusal, sayWord } from '../words/say.js'

export interface DoctorOptions extends RunSettingsOptions {
  readonly model?: string
  readonly baseUrl?: string
  readonly json?: boolean
  /** Does not contact the model's server. */
  readonly offline?: boolean
}

type SandboxFinding = Awaited<ReturnType<typeof detectSandbox>>

/** `mutsumi doctor`: the state that a run would find, and a solution for each problem. */
export async function runDoctor(options: DoctorOptions): Promise<void> {
  const { place, machine, checks, servers } = await examine(options, await terminalFinding())
  const found = checks.flatMap(({ problem }) => problem ?? [])
  process.exitCode = found.length > 0 ? 1 : 0
  if (!options.json) return printReport(drawChecks(checks))
  const findings = Object.fromEntries(machine.map(({ name, finding }) => [name, finding]))
  printLine(safeJson({ ...findings, workspace: place.root, checks, mcp: servers, problems: found }))
}

/** The same as a text, for a conversation: its terminal is in use and cannot be asked anything. */
export async function doctorReport(options: DoctorOptions): Promise<string> {
  const { env, stdout } = process
  const terminal = describeTerminal({ environment: env, columns: stdout.columns, answers: undefined })
  return drawChecks((await examine(options, terminal)).checks)
}

interface Examined {
  readonly place: ChosenPlace
  readonly machine: readonly Check[]
  readonly checks: readonly Check[]
  readonly servers: readonly ServerFinding[]
}

async function examine(options: DoctorOptions, terminal: string): Promise<Examined> {
  const place = await placeOf(options)
  const { workspace, trusted } = await openHost(place)
  const run = examineRun(options, place)
  warnOfMisspeltVariables()
  const examining = Promise.all([
    examineServers({ workspace, trusted, ...(place.files && { files: place.files }) }),
    modelChecks(options, place, run),
  ])
  const [{ servers, problems }, model] = await withProgress(
    say`Connecting to the model and the MCP servers`,
    examining,
  )
  const sandbox = await detectSandbox({ mode: run.settings.sandbox })
  const machine: readonly Check[] = [
    nodeCheck(),
    workspaceCheck(place),
    ...place.strangers.map((stranger) => ({ name: 'note', finding: strangerNote(stranger) })),
    { name: 'trusted', finding: trusted ? sayWord('yes') : say`no (mutsumi trust)` },
    { name: 'config', finding: userConfigFolder() },
    undoCheck(),
    ...settingChecks(run),
    ...model,
    await keysCheck(),
    await permissionCheck(place.root),
    sessionsCheck(place.root),
    sandboxCheck(sandbox, run),
    { name: 'remains', finding: sayRefusal(describeRemainder(sandbox)) },
    { name: 'network', finding: describeNetwork(sandbox, run) },
    shellCheck(),
    { name: 'ripgrep', finding: await describeRipgrep() },
    { name: 'terminal', finding: terminal },
    { name: 'locale', finding: describeLocale(process.env) },
  ]
  const checks = [...machine, ...serverChecks(servers), ...serverProblems(problems, run)]
  return { place, machine, checks, servers }
}

/** The contents that undo keeps, outside every workspace. Deleting a session deletes its part. */
function undoCheck(): Check {
  const { path, bytes } = roomOfCopies()
  return { name: 'undo', finding: `${path} (${(bytes / 1024 / 1024).toFixed(1)} MiB)` }
}

function drawChecks(checks: readonly Check[]): string {
  const line = (name: string, text: string) => `${fitColumn(name, 10)}  ${safeLine(text)}`
  return checks
    .flatMap(({ name, finding, problem, solution }) => [
      line(sayWord(name), finding),
      ...(problem !== undefined && problem !== finding ? [line(`  ${sayWord('problem')}`, problem)] : []),
      ...(solution !== undefined ? [line(`  ${sayWord('solution')}`, solution)] : []),
    ])
    .join('\n')
}

function workspaceCheck({ root, marker }: ChosenPlace): Check {
  const below = marker === undefined ? '' : say` (it has ${marker}; this folder is below it)`
  return { name: 'workspace', finding: `${root}${below}` }
}

const oldestNode = [20, 19] as const

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])
  return {
    name: 'node',
    finding: process.version,
    ...(isOld && {
      problem: say`Node ${oldestNode.join('.')} or newer is needed`,
      solution: say`install a newer Node`,
    }),
  }
}

/** The settings as a run reads them, with everything that is wrong with them. */
function settingChecks({ given, problems }: ExaminedRun): readonly Check[] {
  const names = [...given].sort()
  if (problems.length === 0)
    return [{ name: 'settings', finding: names.length === 0 ? say`all at their defaults` : names.join(', ') }]
  const solution = say`correct it there; docs/guide/context.md lists the settings`
  return problems.map((problem) => ({ name: 'settings', finding: say`cannot be used`, problem, solution }))
}

/** The model that a run would ask. */
function modelChecks(
  options: DoctorOptions,
  { trusted }: ChosenPlace,
  { config, settings: { sampling, protocol: setting }, setBy }: ExaminedRun,
): Promise<readonly Check[]> {
  const protocol = { setting, setBy: setBy.get('protocol') }
  return checkModel(options, { config, trusted, sampling, protocol, asks: !options.offline })
}

/** The available keys, by the names of their variables. */
async function keysCheck(): Promise<Check> {
  const { setKeyVariables } = await import('@mutsumi/model')
  const names = setKeyVariables(process.env)
  return { name: 'keys', finding: names.length === 0 ? say`none in the environment` : names.join(', ') }
}

/** The abilities of the terminal, from its variables and its own answers. */
async function terminalFinding(): Promise<string> {
  const { stdin, stdout, env } = process
  const isTerminal = stdin.isTTY && stdout.isTTY
  const answers =
    isTerminal && env.TERM !== 'dumb' ? await queryTerminal({ input: stdin, output: stdout }) : undefined
  return describeTerminal({ environment: env, columns: isTerminal ? stdout.columns : undefined, answers })
}

async function permissionCheck(root: string): Promise<Check> {
  const store = await openPermissionStore()
  const here = realPathOf(root) ?? root
  const problems = storedRuleProblems(store, here)
  const held = store.list(here)
  const count = held.kind === 'rules' ? held.rules.length : 0
  const finding = count === 0 ? say`no rules (mutsumi allow adds one)` : counted(count, 'rule')
  if (problems.length === 0) return { name: 'permission', finding }
  const solution = say`correct it in ${store.file}, or remove it: mutsumi permissions --remove RULE`
  return {
    name: 'permission',
    finding: say`cannot be used`,
    problem: problems.map(sayFault).join('; '),
    solution,
  }
}

/** Checks without writing anything. */
function sessionsCheck(root: string): Check {
  const name = 'sessions'
  const solution = say`--no-session runs without saving anything; --session FILE saves it elsewhere`
  let folder: string
  try {
    folder = sessionsPlace(root)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name, finding: say`cannot be saved`, problem: sayFault(error), solution }
  }
  const problem = whyUnwritable(folder)
  return problem === undefined
    ? { name, finding: say`${folder} (can be written)` }
    : { name, finding: say`cannot be saved`, problem: say`${folder} cannot be written: ${problem}`, solution }
}

/** A missing folder would be created in its nearest existing parent. */
function whyUnwritable(folder: string): string | undefined {
  const stats = statOf(folder)
  if (stats === undefined) return whyUnwritable(dirname(folder))
  if (!stats.isDirectory()) return say`${folder} is not a folder`
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Undefined if there is nothing, or if a folder above is a file. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function sandboxCheck(sandbox: SandboxFinding, run: ExaminedRun): Check {
  const { settings, setBy, sandboxRequiredBy: project } = run
  const { sandbox: mode } = settings
  const check = { name: 'sandbox', finding: sayRefusal(describeSandbox(sandbox, mode, project)) }
  if (mode !== 'require' || sandbox.kind !== 'none') return check
  const looser = say`change the setting sandbox to auto (set in ${project ?? setBy.get('sandbox')})`
  return {
    ...check,
    problem: say`a sandbox is required, but there is none (${sayRefusal(sandbox.reason)}): no command runs`,
    solution: sandbox.remedy === undefined ? looser : `${sandbox.remedy}, or ${looser}`,
  }
}

function serverChecks(servers: readonly ServerFinding[]): readonly Check[] {
  if (servers.length === 0) return [{ name: 'mcp', finding: say`no servers (mutsumi mcp add adds one)` }]
  return servers.map(serverCheck)
}

function serverCheck(server: ServerFinding): Check {
  const check = { name: 'mcp', finding: describeServer(server) }
  if (server.state === 'ready' || server.state === 'disabled') return check
  // An untrusted project's server is not started, and that is intended.
  if (server.origin === 'workspace' && /not trusted/.test(server.reason)) return check
  const solution = say`correct mcpServers.${server.name} in the config, or set "disabled": true there`
  return {
    ...check,
    problem: say`the MCP server ${server.name} is not available: it ${server.reason}`,
    solution,
  }
}

/** An unreadable config is already reported with the settings. */
function serverProblems(problems: readonly string[], { unreadable }: ExaminedRun): readonly Check[] {
  return problems
    .filter((problem) => !unreadable.some((file) => problem.startsWith(file)))
    .map((problem) => ({ name: 'problem', finding: problem, problem, solution: say`correct it there` }))
}

function describeNetwork(sandbox: SandboxFinding, { settings: { network }, setBy }: ExaminedRun): string {
  if (sandbox.kind === 'none') return say`commands have access: only a sandbox could prevent it`
  return network
    ? say`commands have access (${setBy.get('network')})`
    : say`commands in a sandbox have no access; --network allows it for one run`
}

function shellCheck(): Check {
  const shell = findShell()
  if (shell === undefined)
    return {
      name: 'shell',
      finding: say`none`,
      problem: say`there is no shell: commands cannot run`,
      solution: noShell,
    }
  const finding = shell === '/bin/sh' ? say`/bin/sh: there is no bash, so commands that need one fail` : shell
  return { name: 'shell', finding }
}

function describeServer({ name, origin, state, reason, tools, warnings }: ServerFinding): string {
  const notes = [state === 'ready' ? counted(tools.length, 'tool') : reason, ...warnings].filter(
    (note) => note !== '',
  )
  return `${name} (${sayWord(origin)}): ${[sayWord(state), ...notes].join(', ')}`
}

async function describeRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return rgPath
  } catch {
    return say`not installed; Grep uses its own slower search`
  }
}
