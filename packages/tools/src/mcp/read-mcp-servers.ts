import { join } from 'node:path'
import { unknown } from 'zod'
import { configName, type ProjectFiles, readProjectFiles, serversName } from '../trust/project-allowances.js'
import { readConfigFile, userConfigFolder } from '../user/user-config.js'
import type { TextFileReading } from '../workspace/project-file.js'
import type { Workspace } from '../workspace/workspace.js'
import {
  type McpConfigFile,
  type NamedServer,
  type ReadServers,
  readConfigServers,
} from './mcp-config-file.js'
import type { McpServerConfig } from './mcp-server-config.js'

export interface ReadMcpOptions {
  readonly workspace: Workspace
  /** The workspace's files as they were when its trust was checked. Absent: they are read now. */
  readonly files?: ProjectFiles
  /** The folder of the user's `config.json`. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** The servers that the user and the workspace name. */
export interface McpDefinitions {
  /** The servers for `connectMcpServers`. */
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** Configured but disabled. */
  readonly disabled: Readonly<Record<string, McpServerConfig>>
  /** The entries that were left out: file, key and problem. */
  readonly problems: readonly string[]
}

/**
 * Reads `mcpServers` of the user's config, of the workspace's and of its `.mcp.json`. Starts nothing. If two servers
 * have the same name, the first counts, so that a workspace cannot replace the user's server.
 */
export function readMcpServers({
  workspace,
  files = readProjectFiles(workspace.root),
  folder = userConfigFolder(),
  env = process.env,
}: ReadMcpOptions): McpDefinitions {
  const ours = readUserServers(join(folder, 'config.json'), { root: workspace.root, variables: env })
  const sources: readonly Source[] = [
    { file: 'your own config', ...ours },
    { file: configName, ...readWorkspaceServers(configName, files.config, workspace.root) },
    { file: serversName, ...readWorkspaceServers(serversName, files.servers, workspace.root) },
  ]
  const { servers, problems } = sources.reduce(addSource, { servers: [], problems: [] })
  return {
    servers: byName(servers.filter(({ disabled }) => !disabled)),
    disabled: byName(servers.filter(({ disabled }) => disabled)),
    problems,
  }
}

interface Source extends ReadServers {
  readonly file: string
}

interface Gathered {
  readonly servers: readonly (NamedServer & { readonly file: string })[]
  readonly problems: readonly string[]
}

function addSource({ servers, problems }: Gathered, source: Source): Gathered {
  const holderOf = ({ name }: NamedServer) => servers.find((known) => known.name === name)
  const added = source.servers.filter((server) => !holderOf(server))
  const taken = source.servers.flatMap((server) => {
    const holder = holderOf(server)
    return holder ? [alreadyNamed(source.file, server.name, holder.file)] : []
  })
  return {
    servers: [...servers, ...added.map((server) => ({ ...server, file: source.file }))],
    problems: [...problems, ...source.problems, ...taken],
  }
}

function readUserServers(file: string, options: Pick<McpConfigFile, 'root' | 'variables'>): ReadServers {
  const reading = readConfigFile(file, unknown())
  if (reading.kind === 'missing') return none
  if (reading.kind === 'fault') return { servers: [], problems: [reading.message] }
  return readConfigServers({ ...options, file, origin: 'user', content: reading.content })
}

function readWorkspaceServers(file: string, reading: TextFileReading, root: string): ReadServers {
  if (reading.kind === 'missing') return none
  if (reading.kind === 'fault') return refused(file, reading.message)
  try {
    const content: unknown = JSON.parse(reading.text)
    return readConfigServers({ file, origin: 'workspace', content, root, variables: undefined })
  } catch (error) {
    return refused(file, `is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const none: ReadServers = { servers: [], problems: [] }

function refused(file: string, why: string): ReadServers {
  return { servers: [], problems: [`${file}: ${why}`] }
}

function alreadyNamed(file: string, name: string, holder: string): string {
  return `${file}: mcpServers.${name}: ${holder} already has a server with this name, which is used instead`
}

/** As entries, so that a server named __proto__ works like any other. */
function byName(servers: readonly NamedServer[]): Record<string, McpServerConfig> {
  return Object.fromEntries(servers.map(({ name, config }) => [name, config]))
}
