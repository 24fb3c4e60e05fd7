import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '@mutsumi/schema'
import { array, looseObject, string, unknown } from 'zod'
import { approvalOf } from './approval.js'
import { type CallResult, callResult } from './call-result.js'
import { ChildTransport } from './child-transport.js'
import { type ListedTool, readToolListing, type ToolListing } from './listed-tool.js'
import { causeOf, McpFault, redact, secretsOf } from './mcp-fault.js'
import type { McpServerConfig } from './mcp-server-config.js'
import { openTransport } from './open-transport.js'

export interface ConnectionLimits {
  readonly connectTimeoutMs: number
  readonly callTimeoutMs: number
  /** Aborted if nobody waits for its start any longer. */
  readonly signal?: AbortSignal | undefined
}

export interface ConnectionOptions extends ConnectionLimits {
  readonly name: string
  readonly config: McpServerConfig
  /** The folder in which a server's process runs if it names none. */
  readonly cwd: string
}

/** How long the end of a session over HTTP may take. */
const goodbyeMs = 1_000
const pagesLimit = 20
/** A server may say at any rate that its tools changed. They are listed again at most this often. */
const refreshPauseMs = 1_000
/** How long a step or a call waits for the new list. After that it goes on, and the list counts when it comes. */
const refreshPatienceMs = 2_000

// Parsed leniently and tool by tool, because the SDK's own schema refuses a whole list for one broken tool.
const toolPage = looseObject({ tools: array(unknown()), nextCursor: string().optional() })

/** A server and our connection to it, from its start to its end. Its failures do not leave this class. */
export class McpConnection {
  readonly name: string
  readonly config: McpServerConfig
  readonly #options: ConnectionOptions
  readonly #client = new Client({ name: 'mutsumi', version: '0.1.0' }, { capabilities: {} })
  #transport: ReturnType<typeof openTransport> | undefined
  #listing: ToolListing = { tools: [], warnings: [] }
  #stale = false
  #refreshing: Promise<void> | undefined
  #refreshedAt = Number.NEGATIVE_INFINITY
  /** Why it cannot be used; undefined while it can. */
  #failure: string | undefined = 'is not connected'

  constructor(options: ConnectionOptions) {
    this.name = options.name
    this.config = options.config
    this.#options = options
    this.#client.onclose = () => {
      this.#failure ??= this.#withErrors('has stopped')
    }
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      // Only noted, so that a server that sends this constantly costs nothing.
      this.#stale = true
    })
  }

  get failure(): string | undefined {
    return this.#failure
  }

  get listing(): ToolListing {
    return this.#listing
  }

  /** Starts the server and asks for its tools. Never throws: `failure` says what went wrong. */
  async start(): Promise<void> {
    const { connectTimeoutMs: limit, signal: stop } = this.#options
    const timeout = AbortSignal.timeout(limit)
    const signal = stop ? AbortSignal.any([timeout, stop]) : timeout
    try {
      this.#transport = openTransport(this.config, this.#options.cwd)
      // The SDK waits forever for a server that accepts the handshake and never confirms it.
      await unlessAborted(this.#greet(this.#transport, signal), signal)
      this.#failure = undefined
    } catch (error) {
      await nextTurn() // The last output of a dying server is still on its way.
      const why = timeout.aborted ? `did not answer within ${limit} ms` : this.#explain(error)
      this.#failure = this.#withErrors(why)
      void this.close()
    }
  }

  /**
   * Requests the tools again if the server said that they changed. Concurrent callers wait for the same answer, and none
   * for long: a server that floods us with changes, or does not list its tools, must not stop a round.
   */
  async refresh(): Promise<void> {
    if (this.#failure !== undefined) return
    const now = performance.now()
    if (this.#stale && this.#refreshing === undefined && now - this.#refreshedAt >= refreshPauseMs) {
      this.#refreshedAt = now
      this.#refreshing = this.#listAgain().finally(() => (this.#refreshing = undefined))
      // Callers may have gone on.
      this.#refreshing.catch(ignore)
    }
    const left = this.#refreshedAt + refreshPatienceMs - now
    if (this.#refreshing === undefined || left <= 0) return
    await Promise.race([this.#refreshing, delay(left, undefined, { ref: false })])
  }

  /** Throws only an `McpFault`. */
  async call(tool: ListedTool, args: JsonObject, signal?: AbortSignal): Promise<CallResult> {
    if (this.#failure !== undefined)
      throw new McpFault('EXECUTION_ERROR', `the MCP server ${this.name} ${this.#failure}`)
    try {
      await unlessAborted(this.refresh(), signal)
      this.#checkUnchanged(tool)
      return await this.#client.request(
        { method: 'tools/call', params: { name: tool.name, arguments: args } },
        callResult,
        { timeout: this.#options.callTimeoutMs, ...(signal && { signal }) },
      )
    } catch (error) {
      throw await this.#faultOf(error, signal)
    }
  }

  /** Lets the server end, and kills it if it does not. */
  async close(): Promise<void> {
    this.#failure ??= 'is closed'
    // The final message needs no answer, because the server may be one that does not answer.
    await unlessAborted(this.#leave(), AbortSignal.timeout(goodbyeMs)).catch(ignore)
    await this.#client.close().catch(ignore)
    // If the handshake failed, the SDK drops the transport before it is closed.
    await this.#transport?.close().catch(ignore)
  }

  /** For a process that is about to exit and cannot wait. */
  kill(): void {
    if (this.#transport instanceof ChildTransport) this.#transport.kill()
  }

  async #leave(): Promise<void> {
    if (!(this.#transport instanceof ChildTransport)) await this.#transport?.terminateSession()
  }

  async #greet(transport: ReturnType<typeof openTransport>, signal: AbortSignal): Promise<void> {
    const timeout = this.#options.connectTimeoutMs
    // A cast, because the SDK declares `sessionId` of its HTTP transport as possibly undefined, not as absent.
    await this.#client.connect(transport as Transport, { timeout, signal })
    this.#listing = await this.#list(timeout, signal)
  }

  async #listAgain(): Promise<void> {
    this.#stale = false
    try {
      const listing = await this.#list(this.#options.connectTimeoutMs)
      // The same object while nothing changed, so that callers can compare by identity.
      if (!isDeepStrictEqual(listing, this.#listing)) this.#listing = listing
    } catch (error) {
      this.#stale = true
      throw error
    }
  }

  async #list(timeout: number, signal?: AbortSignal): Promise<ToolListing> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [], warnings: [] }
    const listed: unknown[] = []
    let cursor: string | undefined
    for (let page = 0; page < pagesLimit; page++) {
      const answer = await this.#client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        toolPage,
        { timeout, ...(signal && { signal }) },
      )
      listed.push(...answer.tools)
      cursor = answer.nextCursor
      if (cursor === undefined) break
    }
    return readToolListing(listed)
  }

  /** The user approved a tool by its description, but the server may have replaced the tool since. */
  #checkUnchanged(tool: ListedTool): void {
    const wanted = approvalOf(this.config, tool)
    if (this.#listing.tools.some((listed) => approvalOf(this.config, listed) === wanted)) return
    throw new McpFault('CONFLICT', `the MCP server ${this.name} has changed or removed ${tool.name}`)
  }

  async #faultOf(error: unknown, signal: AbortSignal | undefined): Promise<McpFault> {
    if (error instanceof McpFault) return error
    if (signal?.aborted) return new McpFault('EXECUTION_ERROR', 'cancelled')
    await nextTurn()
    const server = `the MCP server ${this.name}`
    if (this.#failure !== undefined) return new McpFault('EXECUTION_ERROR', `${server} ${this.#failure}`)
    const { code, message } = causeOf(error)
    if (code === 'TIMEOUT')
      return new McpFault(code, `${server} did not answer within ${this.#options.callTimeoutMs} ms`)
    return new McpFault(code, `${server}: ${this.#redact(message)}`)
  }

  #explain(error: unknown): string {
    return `could not be reached: ${this.#redact(causeOf(error).message)}`
  }

  #withErrors(why: string): string {
    const errors = this.#redact(this.#transport?.lastErrors ?? '')
    return errors === '' ? why : `${why}; it wrote: ${errors}`
  }

  #redact(text: string): string {
    return redact(text, secretsOf(this.config))
  }
}

async function unlessAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return work
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function ignore(): void {
  // Even if closing fails, the connection is over, which was the aim.
}
