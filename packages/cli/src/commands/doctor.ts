import { accessSync, constants, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { examineServers, type ServerFinding, storedRuleProblems } from '@mutsumi/host'
import { safeJson, safeLine } from '@mutsumi/schema'
import { detectSandbox } from '@mutsumi/tools'
import {
  describeSandbox,
  findShell,
  noShell,
  openPermissionStore,
  realPathOf,
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
import { describeLocale, describeTerminal } from '../terminal/describe-terminal.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { queryTerminal } from '../terminal/query-terminal.js'

export interface DoctorOptions extends RunSettingsOptions {
  readonly model?: string
  readonly baseUrl?: string
  readonly json?: boolean
  /** Asks no model's server. */
  readonly offline?: boolean
}

type SandboxFinding = Awaited<ReturnType<typeof detectSandbox>>

/** `mutsumi doctor`: what a run would find, each problem with what solves it. */
export async function runDoctor(options: DoctorOptions): Promise<void> {
  const { place, machine, checks, servers } = await examine(options, await terminalFinding())
  const found = checks.flatMap(({ problem }) => problem ?? [])
  process.exitCode = found.length > 0 ? 1 : 0
  if (!options.json) return printLine(drawChecks(checks))
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
    'Connecting to the model and the MCP servers',
    examining,
  )
  const sandbox = await detectSandbox({ mode: run.settings.sandbox })
  const machine: readonly Check[] = [
    nodeCheck(),
    workspaceCheck(place),
    ...place.strangers.map((stranger) => ({ name: 'note', finding: strangerNote(stranger) })),
    { name: 'trusted', finding: trusted ? 'yes' : 'no (mutsumi trust)' },
    { name: 'config', finding: userConfigFolder() },
    ...settingChecks(run),
    ...model,
    await keysCheck(),
    await permissionCheck(place.root),
    sessionsCheck(place.root),
    sandboxCheck(sandbox, run),
    { name: 'network', finding: describeNetwork(sandbox, run) },
    shellCheck(),
    { name: 'ripgrep', finding: await describeRipgrep() },
    { name: 'terminal', finding: terminal },
    { name: 'locale', finding: describeLocale(process.env) },
  ]
  const checks = [...machine, ...serverChecks(servers), ...serverProblems(problems, run)]
  return { place, machine, checks, servers }
}

function drawChecks(checks: readonly Check[]): string {
  const line = (name: string, text: string) => `${name.padEnd(10)} ${safeLine(text)}`
  return checks
    .flatMap(({ name, finding, problem, solution }) => [
      line(name, finding),
      ...(problem !== undefined && problem !== finding ? [line('  problem', problem)] : []),
      ...(solution !== undefined ? [line('  solution', solution)] : []),
    ])
    .join('\n')
}

function workspaceCheck({ root, marker }: ChosenPlace): Check {
  const below = marker === undefined ? '' : ` (it has ${marker}; this folder is below it)`
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
      problem: `Node ${oldestNode.join('.')} or newer is needed`,
      solution: 'install a newer Node',
    }),
  }
}

/** The settings as a run reads them, with everything that is wrong with them. */
function settingChecks({ given, problems }: ExaminedRun): readonly Check[] {
  const names = [...given].sort()
  if (problems.length === 0)
    return [{ name: 'settings', finding: names.length === 0 ? 'all as they come' : names.join(', ') }]
  const solution = 'mend it there; docs/guide/context.md lists the settings'
  return problems.map((problem) => ({ name: 'settings', finding: 'cannot be used', problem, solution }))
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

/** The keys that are there, by the names of their variables. */
async function keysCheck(): Promise<Check> {
  const { setKeyVariables } = await import('@mutsumi/model')
  const names = setKeyVariables(process.env)
  return { name: 'keys', finding: names.length === 0 ? 'none in the environment' : names.join(', ') }
}

/** What the terminal can do: by its variables, and by what it answers if there is one. */
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
  const finding =
    count === 0 ? 'no rules (mutsumi allow adds one)' : `${count} ${count === 1 ? 'rule' : 'rules'}`
  if (problems.length === 0) return { name: 'permission', finding }
  const solution = `mend it in ${store.file}, or remove it: mutsumi permissions --remove RULE`
  return { name: 'permission', finding: 'cannot be used', problem: problems.join('; '), solution }
}

/** Looks without writing anything. */
function sessionsCheck(root: string): Check {
  const name = 'sessions'
  const solution = '--no-session asks without keeping anything; --session FILE keeps it elsewhere'
  let folder: string
  try {
    folder = sessionsPlace(root)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name, finding: 'cannot be kept', problem: error.message, solution }
  }
  const problem = whyUnwritable(folder)
  return problem === undefined
    ? { name, finding: `${folder} (can be written)` }
    : { name, finding: 'cannot be kept', problem: `${folder} cannot be written: ${problem}`, solution }
}

/** A folder that is not there yet is made in the nearest one above it. */
function whyUnwritable(folder: string): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return whyUnwritable(dirname(folder))
  if (!stats.isDirectory()) return `${folder} is not a folder`
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function sandboxCheck(sandbox: SandboxFinding, run: ExaminedRun): Check {
  const { settings, setBy, sandboxRequiredBy: project } = run
  const { sandbox: mode } = settings
  const check = { name: 'sandbox', finding: describeSandbox(sandbox, mode, project) }
  if (mode !== 'require' || sandbox.kind !== 'none') return check
  const looser = `set sandbox to auto where it is set (${project ?? setBy.get('sandbox')})`
  return {
    ...check,
    problem: `a sandbox is required, and there is none (${sandbox.reason}): no command runs`,
    solution: sandbox.remedy === undefined ? looser : `${sandbox.remedy}, or ${looser}`,
  }
}

function serverChecks(servers: readonly ServerFinding[]): readonly Check[] {
  if (servers.length === 0) return [{ name: 'mcp', finding: 'no servers (mutsumi mcp add adds one)' }]
  return servers.map(serverCheck)
}

function serverCheck(server: ServerFinding): Check {
  const check = { name: 'mcp', finding: describeServer(server) }
  if (server.state === 'ready' || server.state === 'disabled') return check
  // A project's server that nobody vouched for is not started, which is as it should be.
  if (server.origin === 'workspace' && /not trusted/.test(server.reason)) return check
  const solution = `mend mcpServers.${server.name} in the config, or set "disabled": true there`
  return { ...check, problem: `the MCP server ${server.name} is not there: ${server.reason}`, solution }
}

/** A config that cannot be read at all is a problem of the settings already. */
function serverProblems(problems: readonly string[], { unreadable }: ExaminedRun): readonly Check[] {
  return problems
    .filter((problem) => !unreadable.some((file) => problem.startsWith(file)))
    .map((problem) => ({ name: 'problem', finding: problem, problem, solution: 'mend it there' }))
}

function describeNetwork(sandbox: SandboxFinding, { settings: { network }, setBy }: ExaminedRun): string {
  if (sandbox.kind === 'none') return 'commands have it: only a sandbox could keep it from them'
  return network
    ? `commands have it (${setBy.get('network')})`
    : 'commands in a sandbox have none; --network gives it to those of one run'
}

function shellCheck(): Check {
  const shell = findShell()
  if (shell === undefined)
    return {
      name: 'shell',
      finding: 'none',
      problem: 'there is no shell: commands cannot run',
      solution: noShell,
    }
  const finding = shell === '/bin/sh' ? '/bin/sh: there is no bash, so commands that need one fail' : shell
  return { name: 'shell', finding }
}

function describeServer({ name, origin, state, reason, tools, warnings }: ServerFinding): string {
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`
  const notes = [state === 'ready' ? count : reason, ...warnings].filter((note) => note !== '')
  return `${name} (${origin}): ${[state, ...notes].join(', ')}`
}

async function describeRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return rgPath
  } catch {
    return 'not installed; Grep searches by itself, more slowly'
  }
}
