import { ChildTransport } from './child-transport.js'
import { type HttpTransport, openHttpTransport } from './http-transport.js'
import type { HttpServerConfig, McpServerConfig, StdioServerConfig } from './mcp-server-config.js'
import { serverEnvironment } from './server-environment.js'

/** Creates the transport to a server; nothing is started yet. Throws if the config is invalid. */
export function openTransport(config: McpServerConfig, cwd: string): ChildTransport | HttpTransport {
  return 'url' in config ? overHttp(config) : overStdio(config, cwd)
}

function overStdio({ command, args = [], env = {}, ...own }: StdioServerConfig, cwd: string): ChildTransport {
  if (command === '') throw new Error('its command is empty')
  return new ChildTransport({ command, args, env: serverEnvironment(env, process.env), cwd: own.cwd ?? cwd })
}

function overHttp({ url, headers = {} }: HttpServerConfig): HttpTransport {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error('its url is not an http or https address')
  return openHttpTransport(new URL(url), headers)
}
