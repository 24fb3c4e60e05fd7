import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import type { ToolErrorCode } from '@mutsumi/schema'
import { cleanText } from './clean-text.js'
import type { McpServerConfig } from './mcp-server-config.js'
import { isSecretName } from './server-environment.js'

/** More of a foreign error message is not helpful. */
const longestMessage = 600
/** Shorter secrets occur in ordinary text too and would be removed there. */
const shortestSecret = 6

/** A call that failed without a result. */
export class McpFault extends Error {
  readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string) {
    super(message)
    this.name = 'McpFault'
    this.code = code
  }
}

/** Explains an error of the SDK, the connection or the operating system. */
export function causeOf(error: unknown): { readonly code: ToolErrorCode; readonly message: string } {
  const message = messageOf(error)
  if (!(error instanceof McpError)) return { code: 'EXECUTION_ERROR', message }
  const plain = message.replace(/^(MCP error -?\d+: )+/, '')
  switch (error.code) {
    case ErrorCode.RequestTimeout:
      return { code: 'TIMEOUT', message: plain }
    case ErrorCode.InvalidParams:
      return { code: 'INVALID_PARAM', message: plain }
    default:
      return { code: 'EXECUTION_ERROR', message: plain }
  }
}

/** Short, clean, and without the keys in the config, because servers often print what they were given. */
export function redact(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
  const clean = cleanText(hidden).trim()
  return clean.length > longestMessage ? `…${clean.slice(-longestMessage)}` : clean
}

export function secretsOf(config: McpServerConfig): string[] {
  const values =
    'url' in config
      ? Object.values(config.headers ?? {}).flatMap((value) => [value, value.replace(/^\w+ /, '')])
      : Object.entries(config.env ?? {}).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
  return values.filter((value) => value.length >= shortestSecret)
}

/** `fetch failed` alone is useless; the reason is in its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.message}${cause}`
}
