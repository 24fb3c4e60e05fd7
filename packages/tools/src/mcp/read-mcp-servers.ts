import { join } from 'node:path'
import { unknown } from 'zod'
import { readConfigFile, userConfigFolder } from '../permission/user-config.js'
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
  /** Where the user's `config.json` lies. */
  readonly folder?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** The servers that the user and the workspace name. */
export interface McpDefinitions {
  /** What `connectMcpServers` takes. */
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** Named, and switched off. */
  readonly disabled: Readonly<Record<string, McpServerConfig>>
  /** What was left out: file, key and problem. */
  readonly problems: readonly string[]
}

const workspaceFile = '.mutsumi/config.json'
const longestFile = 1024 * 1024

/**
 * Reads `mcpServers` of the user's config and of the workspace's. Starts nothing. Of two servers with one name
 * the user's counts: a workspace cannot put its own in that place.
 */
export function readMcpServers({
  workspace,
  folder = userConfigFolder(),
  env = process.env,
}: ReadMcpOptions): McpDefinitions {
  const ours = readUserServers(join(folder, 'config.json'), { root: workspace.root, variables: env })
  const theirs = readWorkspaceServers(workspace)
  const names = new Set(ours.servers.map(({ name }) => name))
  const isTaken = ({ name }: NamedServer) => names.has(name)
  const servers = [...ours.servers, ...theirs.servers.filter((server) => !isTaken(server))]
  const taken = theirs.servers.filter(isTaken).map(alreadyNamed)
  return {
    servers: byName(servers.filter(({ disabled }) => !disabled)),
    disabled: byName(servers.filter(({ disabled }) => disabled)),
    problems: [...ours.problems, ...theirs.problems, ...taken],
  }
}

function readUserServers(file: string, options: Pick<McpConfigFile, 'root' | 'variables'>): ReadServers {
  const reading = readConfigFile(file, unknown())
  if (reading.kind === 'missing') return none
  if (reading.kind === 'fault') return { servers: [], problems: [reading.message] }
  return readConfigServers({ ...options, file, origin: 'user', content: reading.content })
}

function readWorkspaceServers(workspace: Workspace): ReadServers {
  const { root } = workspace
  const options = { allowed: [root], maxBytes: longestFile, maxImageBytes: 0 }
  const reading = workspace.read(`${root}/${workspaceFile}`, options)
  if (reading.kind === 'fault' && reading.code === 'NOT_FOUND') return none
  if (reading.kind === 'fault') return refused(reading.message)
  if (reading.kind !== 'file' || reading.truncated)
    return refused(reading.kind === 'file' ? 'is larger than 1 MiB' : 'is not a text file')
  try {
    const content: unknown = JSON.parse(reading.text)
    return readConfigServers({
      file: workspaceFile,
      origin: 'workspace',
      content,
      root,
      variables: undefined,
    })
  } catch (error) {
    return refused(`is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const none: ReadServers = { servers: [], problems: [] }

function refused(why: string): ReadServers {
  return { servers: [], problems: [`${workspaceFile}: ${why}`] }
}

function alreadyNamed({ name }: NamedServer): string {
  return `${workspaceFile}: mcpServers.${name}: your own config names a server so, and that one counts`
}

/** As entries, so that a server called __proto__ is one like any other. */
function byName(servers: readonly NamedServer[]): Record<string, McpServerConfig> {
  return Object.fromEntries(servers.map(({ name, config }) => [name, config]))
}
