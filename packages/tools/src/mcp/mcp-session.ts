import { atExit } from '../ground/at-exit.js'
import type { ToolListing } from './listed-tool.js'
import { type ConnectionLimits, McpConnection } from './mcp-connection.js'
import type { McpServerConfig, McpServerStatus } from './mcp-server-config.js'
import type { McpServers } from './mcp-servers.js'
import { type McpTool, toMcpTool } from './mcp-tool.js'
import { toolNames } from './tool-names.js'

export interface McpSessionOptions extends ConnectionLimits {
  readonly cwd: string
  readonly trusted: boolean
}

const untrusted = 'is named by this workspace, which is not trusted (mutsumi trust)'

/** Several servers with one list of tools. */
export class McpSession implements McpServers {
  readonly #connections: readonly McpConnection[]
  readonly #inert: readonly string[]
  #forgetExit = (): void => undefined
  /** The sources of `tools`. */
  #listings: readonly ToolListing[] = []
  #tools: readonly McpTool[] = []

  constructor(configs: Readonly<Record<string, McpServerConfig>>, options: McpSessionOptions) {
    const isInert = ({ origin }: McpServerConfig) => origin !== 'user' && !options.trusted
    const entries = Object.entries(configs)
    this.#inert = entries.filter(([, config]) => isInert(config)).map(([name]) => name)
    this.#connections = entries
      .filter(([, config]) => !isInert(config))
      .map(([name, config]) => {
        const { timeoutMs: callTimeoutMs = options.callTimeoutMs } = config
        return new McpConnection({ ...options, callTimeoutMs, name, config })
      })
  }

  get tools(): readonly McpTool[] {
    return this.#tools
  }

  get status(): readonly McpServerStatus[] {
    const running = this.#connections.map((connection) => this.#statusOf(connection))
    const inert = this.#inert.map((name) => ({ ...failed(name, untrusted), tools: [], warnings: [] }))
    return [...running, ...inert]
  }

  async start(): Promise<void> {
    // If our process ends without closing, for example by a signal, no server may stay alive.
    this.#forgetExit = atExit(() => {
      for (const connection of this.#connections) connection.kill()
    })
    await Promise.all(this.#connections.map((connection) => connection.start()))
    this.#takeTools()
  }

  async refresh(): Promise<boolean> {
    // A server that cannot list its tools keeps the old ones. A call will report what is wrong.
    await Promise.allSettled(this.#connections.map((connection) => connection.refresh()))
    const changed = this.#connections.some(({ listing }, index) => listing !== this.#listings[index])
    if (changed) this.#takeTools()
    return changed
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()))
    this.#forgetExit()
  }

  #takeTools(): void {
    this.#listings = this.#connections.map(({ listing }) => listing)
    this.#tools = toTools(this.#connections)
  }

  #statusOf({ name, failure, listing }: McpConnection): McpServerStatus {
    const tools = this.#tools.filter(({ server }) => server === name).map((tool) => tool.name)
    const { warnings } = listing
    if (failure !== undefined) return { ...failed(name, failure), tools, warnings }
    return { name, state: 'ready', reason: '', tools, warnings }
  }
}

function failed(name: string, reason: string) {
  return { name, state: 'failed', reason } as const
}

/** Includes servers that have stopped meanwhile: the prompt stays the same, and a call reports what happened. */
function toTools(connections: readonly McpConnection[]): McpTool[] {
  const listed = connections.flatMap((connection) =>
    connection.listing.tools.map((tool) => ({ connection, tool })),
  )
  const names = toolNames(
    listed.map(({ connection, tool }) => ({ server: connection.name, tool: tool.name })),
  )
  return listed.map(({ connection, tool }, index) => toMcpTool(names[index] ?? '', tool, connection))
}
