import { changeConfig, configPaths, examineServers, readConfigOf } from '@mutsumi/host'
import { isJsonObject, type Json, type JsonObject, nearestName, safeJson, safeLine } from '@mutsumi/schema'
import { checkMcpServer } from '@mutsumi/tools/parts'
import { drawServers } from '../drawing/draw-servers.js'
import { type ChosenPlace, openHost, placeOf } from '../place/place.js'
import { Failure, UsageError } from '../terminal/failure.js'
import { printError, printLine, printNote, printReport } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import { say } from '../words/say.js'

export interface McpFlags {
  readonly C?: string
  readonly trust?: boolean
  readonly project?: boolean
  readonly json?: boolean
}

export interface McpAddFlags extends McpFlags {
  readonly url?: string
  readonly env: readonly string[]
  readonly header: readonly string[]
  readonly cwd?: string
  readonly disabled?: boolean
  readonly replace?: boolean
}

/** `mutsumi mcp list`: starts the servers that may be started, prints the state of each, and ends them. */
export async function runMcpList(options: McpFlags): Promise<void> {
  const place = await placeOf(options)
  const { workspace, trusted } = await openHost(place)
  const examining = examineServers({ workspace, trusted, ...(place.files && { files: place.files }) })
  const { servers, problems } = await withProgress(say`Connecting to the MCP servers`, examining)
  if (problems.length > 0 || servers.some(({ state }) => state === 'failed')) process.exitCode = 1
  if (options.json) return printLine(safeJson({ servers, problems }))
  if (servers.length === 0) printLine(say`no servers; mutsumi mcp add NAME -- COMMAND adds one`)
  else printReport(drawServers(servers))
  for (const problem of problems) printError(problem)
}

/** `mutsumi mcp add`: adds a server to your config or to the project's. Starts nothing. */
export async function runMcpAdd(
  name: string,
  command: readonly string[],
  options: McpAddFlags,
): Promise<void> {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name) || name.includes('__'))
    throw new UsageError(
      say`mcp add: "${name}" is not a valid server name: use letters, digits, - . and single _`,
    )
  const entry = entryFrom(command, options)
  const place = await placeOf(options)
  const scope = scopeOf(options)
  const checked = await checkMcpServer(name, entry, {
    root: place.root,
    origin: options.project ? 'workspace' : 'user',
  })
  if (checked.fault !== undefined) throw new UsageError(say`mcp add: ${checked.fault}`)
  changeConfig(scope, place.root, (config) => {
    const servers = serversIn(config, place, options)
    if (Object.hasOwn(servers, name) && !options.replace)
      throw new Failure(say`there is already a server ${name}; --replace replaces it`)
    return { ...config, mcpServers: { ...servers, [name]: entry } }
  })
  const file = configPaths(place.root)[scope]
  if (options.json) return printLine(safeJson({ name, file }))
  printLine(say`${name} is in ${safeLine(file)} now; mutsumi mcp list tries it`)
  if (checked.problem !== undefined) printError(checked.problem)
  noteTrust(options, place)
}

/** `mutsumi mcp remove`. */
export async function runMcpRemove(name: string, options: McpFlags): Promise<void> {
  const place = await placeOf(options)
  const scope = scopeOf(options)
  changeConfig(scope, place.root, (config) => {
    const known = serversIn(config, place, options)
    if (!Object.hasOwn(known, name))
      throw new Failure(missingServer(name, Object.keys(known), options, place))
    const servers = Object.fromEntries(Object.entries(known).filter(([each]) => each !== name))
    const { mcpServers: _, ...rest } = config
    return Object.keys(servers).length === 0 ? rest : { ...config, mcpServers: servers }
  })
  const file = configPaths(place.root)[scope]
  printLine(options.json ? safeJson({ name, file }) : say`${name} is no longer in ${safeLine(file)}`)
  if (!options.json) noteTrust(options, place)
}

function scopeOf({ project }: McpFlags): 'user' | 'project' {
  return project ? 'project' : 'user'
}

function entryFrom(command: readonly string[], options: McpAddFlags): JsonObject {
  const { url, env, header, cwd, disabled } = options
  const [program, ...args] = command
  if ((url === undefined) === (program === undefined))
    throw new UsageError(say`mcp add takes a command after --, or --url ADDRESS`)
  if (url !== undefined && (env.length > 0 || cwd !== undefined))
    throw new UsageError(say`--env and --cwd are for a command; an address takes --header`)
  if (url === undefined && header.length > 0)
    throw new UsageError(say`--header is for an address; a command takes --env`)
  return {
    ...(program !== undefined && { command: program }),
    ...(args.length > 0 && { args }),
    ...(url !== undefined && { url }),
    ...pairs('env', env, /^([A-Za-z_]\w*)=(.*)$/s, say`--env takes NAME=VALUE`),
    ...pairs('headers', header, /^([!#$%&'*+.^`|~\w-]+):\s*(.*)$/s, say`--header takes "Name: value"`),
    ...(cwd !== undefined && { cwd }),
    ...(disabled && { disabled: true }),
  }
}

/** A value may be a secret, so no message repeats it. */
function pairs(name: string, texts: readonly string[], form: RegExp, usage: string): JsonObject {
  if (texts.length === 0) return {}
  const read = texts.map((text): [string, Json] => {
    const [, key, value] = form.exec(text) ?? []
    if (key === undefined || value === undefined) throw new UsageError(usage)
    return [key, value]
  })
  return { [name]: Object.fromEntries(read) }
}

function serversIn(config: JsonObject, { root }: ChosenPlace, options: McpFlags): JsonObject {
  const { mcpServers = {} } = config
  if (isJsonObject(mcpServers)) return mcpServers
  throw new Failure(
    say`${configPaths(root)[scopeOf(options)]}: mcpServers: must be an object of servers by name`,
  )
}

function missingServer(
  name: string,
  names: readonly string[],
  options: McpFlags,
  { root }: ChosenPlace,
): string {
  const nearest = nearestName(name, names)
  const other = options.project ? 'user' : 'project'
  const isThere = isJsonObject(otherServers(other, root)) && Object.hasOwn(otherServers(other, root), name)
  const elsewhere = options.project
    ? say`it is in your own config; leave out --project`
    : say`it is in the project’s; add --project`
  const hint = isThere
    ? elsewhere
    : nearest
      ? say`did you mean ${nearest}?`
      : say`mutsumi mcp list shows them`
  return say`there is no server ${name} in ${configPaths(root)[scopeOf(options)]}; ${hint}`
}

function otherServers(scope: 'user' | 'project', root: string): JsonObject {
  try {
    const { mcpServers } = readConfigOf(scope, root)
    return isJsonObject(mcpServers) ? mcpServers : {}
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}

/** A project's servers start only if the user trusts them in their current form. */
function noteTrust({ project }: McpFlags, { trusted }: ChosenPlace): void {
  if (!project) return
  printNote(
    trusted
      ? say`The folder changed, so trust it again: mutsumi trust`
      : say`It takes effect after you trust the folder: mutsumi trust`,
  )
}
