import { resolve } from 'node:path'
import { isJsonObject } from '@mutsumi/schema'
import { array, boolean, enum as enumOf, number, object, type output, record, string } from 'zod'
import { expandVariables, type Variables } from './expand-variables.js'
import type { McpServerConfig } from './mcp-server-config.js'

/** A `config.json` that may name servers, and its owner. */
export interface McpConfigFile {
  /** Its name in messages. */
  readonly file: string
  readonly origin: McpServerConfig['origin']
  readonly content: unknown
  /** The base of a relative `cwd`. */
  readonly root: string
  /** The values for `${NAME}`; a workspace's file has no access to the user's environment. */
  readonly variables: Variables
}

export interface NamedServer {
  readonly name: string
  readonly config: McpServerConfig
  readonly disabled: boolean
}

export interface ReadServers {
  readonly servers: readonly NamedServer[]
  /** The entries that were left out, and why: file, key and problem. */
  readonly problems: readonly string[]
}

/** Uses the valid entries of a file's `mcpServers`, even if others are broken. */
export function readConfigServers(config: McpConfigFile): ReadServers {
  const { file, content } = config
  if (!isJsonObject(content)) return { servers: [], problems: [`${file}: must be a JSON object`] }
  const { mcpServers = {} } = content
  if (!isJsonObject(mcpServers))
    return { servers: [], problems: [`${file}: mcpServers: must be an object of servers by name`] }
  const read = Object.entries(mcpServers).map(([name, entry]) => readEntry(name, entry, config))
  return {
    servers: read.flatMap((server) => ('name' in server ? [server] : [])),
    problems: read.flatMap((server) =>
      'problem' in server ? [`${file}: mcpServers.${server.key}: ${server.problem}`] : [],
    ),
  }
}

interface Rejected {
  readonly key: string
  readonly problem: string
}

// Other agents write a type; it adds nothing to command and url.
const common = {
  type: enumOf(['stdio', 'http', 'streamable-http', 'streamableHttp']).optional(),
  disabled: boolean().default(false),
  timeout_ms: number().int().min(1).max(3_600_000).optional(),
}
const texts = record(string(), string())
const stdioEntry = object({
  ...common,
  command: string().min(1),
  args: array(string()).optional(),
  env: texts.optional(),
  cwd: string().min(1).optional(),
})
const httpEntry = object({
  ...common,
  url: string().refine(isHttp, 'is not an http or https address'),
  headers: texts.optional(),
})

function readEntry(name: string, entry: unknown, config: McpConfigFile): NamedServer | Rejected {
  const reject = (problem: string): Rejected => ({ key: name, problem })
  if (name.trim() === '') return reject('needs a name')
  if (!isJsonObject(entry)) return reject('must be an object')
  const isHttpServer = Object.hasOwn(entry, 'url')
  if (isHttpServer === Object.hasOwn(entry, 'command'))
    return reject(isHttpServer ? 'has both command and url; give one' : 'needs a command or a url')
  const parsed = isHttpServer ? httpEntry.safeParse(entry) : stdioEntry.safeParse(entry)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return {
      key: [name, ...(issue?.path ?? [])].map(String).join('.'),
      problem: issue?.message ?? 'is invalid',
    }
  }
  return toServer(name, parsed.data, config)
}

function toServer(
  name: string,
  entry: output<typeof httpEntry> | output<typeof stdioEntry>,
  { origin, root, variables }: McpConfigFile,
): NamedServer | Rejected {
  const { disabled, timeout_ms } = entry
  const field = 'url' in entry ? 'headers' : 'env'
  const values = ('url' in entry ? entry.headers : entry.env) ?? {}
  const expanded = expandVariables(values, variables)
  // A disabled server needs no keys.
  if ('problem' in expanded && !disabled)
    return { key: `${name}.${field}.${expanded.name}`, problem: expanded.problem }
  const known = 'values' in expanded ? expanded.values : values
  const about = { origin, ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }) }
  if ('url' in entry) return { name, disabled, config: { ...about, url: entry.url, headers: known } }
  const { command, args = [], cwd } = entry
  return {
    name,
    disabled,
    config: { ...about, command, args, env: known, ...(cwd !== undefined && { cwd: resolve(root, cwd) }) },
  }
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
