import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { JsonObject, ToolResult } from '@mutsumi/schema'
import { expect, onTestFinished } from 'vitest'
import { createToolRunner, Workspace } from '../src/index.js'
import { connectMcpServers, type McpOptions } from '../src/mcp/connect-mcp-servers.js'
import type { McpServerConfig } from '../src/mcp/mcp-server-config.js'
import type { McpServers } from '../src/mcp/mcp-servers.js'
import { createSessionMemory } from '../src/session-memory/session-memory.js'
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
