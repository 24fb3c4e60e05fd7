import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PermissionMode, Warning } from '@mutsumi/schema'
import {
  connectMcpServers,
  findMcpServers,
  type LazyTool,
  type McpServerStatus,
  type PermissionGate,
  type PermissionGateOptions,
  type Tool,
  type Workspace,
} from '@mutsumi/tools'
import { readProjectFiles, userConfigFolder } from '@mutsumi/tools/parts'
import type { Note } from '../config/config-files.js'
import type { SettledRun } from '../config/settled-run.js'
import { openWorkspace } from '../place/open-workspace.js'
import { serverFolder } from './mcp-servers.js'

/** An opened workspace with its tools and its gate. */
export interface Toolbox {
  readonly workspace: Workspace
  readonly tools: readonly (Tool | LazyTool)[]
  readonly gate: Gate
  /** A gate for one of several sessions in this workspace. The user's permissions for a session hold in its gate alone. */
  sessionGate(session: Pick<GatePlace, 'ask' | 'allowed' | 'mode'>): Promise<Gate>
  /** The MCP servers that should have started, and the state of each. */
  servers(): readonly McpServerStatus[]
  /** Ends the servers. */
  close(): Promise<void>
}

/** Judges every call that an agent wants to make. */
export interface Gate extends Pick<PermissionGate, 'permit' | 'permitLeft' | 'mode' | 'judgeOpenQuestion'> {
  /** Warnings about flags that name a tool which its server does not have. */
  unknownTools(offered: readonly string[]): readonly Warning[]
  /** The rules that the user allowed for this session. */
  sessionRules(): readonly string[]
  /** Removes a rule of this session. */
  forget(rule: string): void
}

export interface GatePlace {
  readonly root: string
  readonly folders: readonly string[]
  /** Asks the user about calls that no rule allows. Absent if nobody can be asked. */
  readonly ask?: PermissionGateOptions['ask']
  /** Rules that the user allowed earlier in the session. */
  readonly allowed?: readonly string[]
  /** The mode that the user chose. It can change later. Absent: `ask`. */
  readonly mode?: PermissionMode
  /** Receives problems such as rules that could not be stored. */
  readonly note: Note
}

/** `--allow` and `--deny`. */
export interface RuleFlags {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}

export interface ToolboxOptions extends RuleFlags, Pick<GatePlace, 'ask' | 'note'> {
  /** Stops waiting for servers and ends them. */
  readonly stop: AbortSignal
  /** Receives warnings about tools and servers that are missing. */
  readonly warn: (warning: Warning) => void
  /** Shows a message while the work runs. */
  readonly withProgress?: <Result>(message: string, work: Promise<Result>) => Promise<Result>
}

/** With the servers that the configs name: they start, and are ended by `close`. */
export async function openToolbox(run: SettledRun, options: ToolboxOptions): Promise<Toolbox> {
  const toolbox = await openOwnTools(run, options)
  // This comes last, because a later failure would leave the servers running.
  return withServers(toolbox, run, options)
}

/** Without servers. Nothing starts, so it can be opened for somebody who only looks. */
export async function openOwnTools(run: SettledRun, options: ToolboxOptions): Promise<Toolbox> {
  const { root, folders = [], sandboxRequiredBy, settings } = run
  const { sandbox, network, mode } = settings
  const { ask, note } = options
  const place = { root, folders, note }
  const gate = await gateOf({ ...place, mode, ...(ask && { ask }) }, options)
  const confinement = { sandbox, network, ...(sandboxRequiredBy && { sandboxRequiredBy }) }
  const { workspace, tools, warnings } = await openWorkspace(run, confinement)
  for (const warning of warnings) options.warn(warning)
  return {
    ...{ workspace, tools, gate },
    sessionGate: (session) => gateOf({ ...place, mode, ...session }, options),
    ...{ servers: () => [], close: async () => undefined },
  }
}

/** Starts the servers that the configs name, and adds their tools. The same toolbox if no config names any. */
export async function withServers(
  toolbox: Toolbox,
  run: SettledRun,
  options: ToolboxOptions,
): Promise<Toolbox> {
  const servers = namesServers(run) ? await startServers(toolbox.workspace, run, options) : undefined
  const names = servers?.tools.map(({ name }) => name) ?? []
  for (const warning of toolbox.gate.unknownTools(names)) options.warn(warning)
  if (servers === undefined) return toolbox
  const { tools, status, close } = servers
  return { ...toolbox, tools: [...toolbox.tools, ...tools], servers: status, close }
}

/** Whether a config names servers that a run starts or reports. Most configs name none. */
export function namesServers({
  root,
  trusted,
  files,
  config,
}: Pick<SettledRun, 'root' | 'trusted' | 'files' | 'config'>): boolean {
  return (
    config.user.mcpServers !== undefined ||
    config.project.mcpServers !== undefined ||
    (trusted && (files ?? readProjectFiles(root)).servers.kind !== 'missing')
  )
}

/** Only runs with servers load the code for them. */
async function startServers(
  workspace: Workspace,
  { trusted, files }: Pick<SettledRun, 'trusted' | 'files'>,
  { stop, warn, withProgress = (_, work) => work }: Pick<ToolboxOptions, 'stop' | 'warn' | 'withProgress'>,
) {
  const project = files ?? readProjectFiles(workspace.root)
  const { servers, problems } = await findMcpServers({ workspace, files: project })
  for (const problem of problems) warn(serverWarning(problem))
  const connecting = connectMcpServers(servers, {
    trusted,
    cwd: serverFolder({ root: workspace.root, trusted }),
    signal: stop,
  })
  const connected = await withProgress('Connecting to the MCP servers', connecting)
  if (stop.aborted) await connected.close()
  stop.throwIfAborted()
  for (const { name, state, reason } of connected.status)
    if (state !== 'ready') warn(serverWarning(`the MCP server ${name} is not available: it ${reason}`))
  return { tools: connected.tools, status: () => connected.status, close: () => connected.close() }
}

function serverWarning(message: string): Warning {
  return { code: 'mcp-server', message, source: 'MCP servers' }
}

/** If the user has no rules, the first call that must be judged loads the gate. Many previews have no such call. */
async function gateOf(place: GatePlace, flags: RuleFlags): Promise<Gate> {
  let { mode = 'ask' } = place
  const open = async () => (await import('./open-gate.js')).openGate({ ...place, mode }, flags)
  const hasRules = flags.allow.length + flags.deny.length + (place.allowed?.length ?? 0) > 0
  if (hasRules || existsSync(join(userConfigFolder(), 'permissions.json'))) return open()
  let opening: Promise<Gate> | undefined
  let gate: Gate | undefined
  const opened = async () => {
    opening ??= open()
    gate = await opening
    gate.mode = mode
    return gate
  }
  return {
    async permit(request, failure) {
      gate = await opened()
      return gate.permit(request, failure)
    },
    async permitLeft(request) {
      gate = await opened()
      return gate.permitLeft(request)
    },
    unknownTools: () => [],
    sessionRules: () => gate?.sessionRules() ?? [],
    judgeOpenQuestion: () => gate?.judgeOpenQuestion(),
    forget: (rule) => gate?.forget(rule),
    get mode() {
      return mode
    },
    set mode(chosen) {
      mode = chosen
      if (gate) gate.mode = chosen
    },
  }
}
