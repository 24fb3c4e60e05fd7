import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { expect, onTestFinished } from 'vitest'
import { createToolRunner, Workspace } from '../../src/index.js'
import { connectMcpServers, type McpOptions } from '../../src/mcp/connect-mcp-servers.js'
import type { McpServerConfig } from '../../src/mcp/mcp-server-config.js'
import type { McpServers } from '../../src/mcp/mcp-servers.js'
import { createSessionMemory } from '../../src/session-memory/session-memory.js'
import { temporaryFolder } from './temporary-folder.js'

const script = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url))

/** A server of the user's, in one of the modes of mcp-server.mjs. */
export function stdioServer(mode = 'normal', env: Record<string, string> = {}): McpServerConfig {
  return { origin: 'user', command: process.execPath, args: [script, mode], env }
}

/** Servers that end with their test. */
export async function connect(
  configs: Record<string, McpServerConfig>,
  options: McpOptions = {},
): Promise<McpServers> {
  const servers = await connectMcpServers(configs, options)
  onTestFinished(() => servers.close())
  return servers
}

/** Calls a server's tools as the agent does: through the runner, with everything permitted. */
export function callerOf(servers: McpServers) {
  const { path } = temporaryFolder()
  const memory = createSessionMemory()
  const runner = createToolRunner({
    workspace: new Workspace({ root: path }),
    tools: servers.tools,
    permit: () => ({ granted: true }),
    memory,
  })
  const call = (name: string, args: JsonObject = {}, signal?: AbortSignal): Promise<ToolResult> =>
    runner.run({ name, args }, { allowed: [path], ...(signal && { signal }) })
  return { call, memory, prompt: runner.prompt }
}

/** A server over streamable HTTP on loopback, in a process of its own. */
export async function startHttpServer(): Promise<{ url: string; output(): string }> {
  const child = spawn(process.execPath, [script, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child.stdout, 'data')
  return { url: `http://127.0.0.1:${Number.parseInt(output, 10)}/mcp`, output: () => output }
}

/** A server over HTTP that answers in one piece, and whose only tool never stops. */
export async function floodingAddress(): Promise<string> {
  const server = createServer(async (request, response) => {
    // The client also asks for a stream of its own, which a server need not have.
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = (await json(request)) as { id?: number; method: string } // JSON-RPC of the SDK's client.
    if (id === undefined) return void response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'flood', version: '1' },
      },
      'tools/list': { tools: [{ name: 'flood', inputSchema: { type: 'object' } }] },
    }
    const result = results[method]
    if (result) return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    const flood = setInterval(() => response.write('x'.repeat(1024 * 1024)), 1)
    response.on('close', () => clearInterval(flood))
  })
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // It listens on TCP, so it is not the name of a pipe.
  return `http://127.0.0.1:${port}/mcp`
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' })
    return false
  }
}

export async function waitUntil(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 10_000, interval: 20 }).toBe(true)
}
