import { isDeepStrictEqual } from 'node:util'
import { type Json, type JsonObject, safeLine } from '@mutsumi/schema'
import { array, boolean, looseObject, type output, record, string, unknown } from 'zod'
import { capOutput } from '../contract/cap-output.js'
import type { ToolOutcome } from '../contract/define-tool.js'
import type { Observations } from '../session-memory/session-memory.js'
import { cleanText } from './clean-text.js'

/** The answer of `tools/call`, parsed leniently: an unknown kind of content does not invalidate the rest. */
export const callResult = looseObject({
  content: array(record(string(), unknown())).default([]),
  structuredContent: record(string(), unknown()).optional(),
  isError: boolean().optional(),
})

export type CallResult = output<typeof callResult>
type Content = CallResult['content'][number]

/** Converts a server's answer to our result. */
export function serverOutcome(
  result: CallResult,
  { data, observations }: { readonly data: JsonObject; readonly observations: Observations },
): ToolOutcome {
  const { text, truncated, id } = capOutput(textOf(result) || '(no output)', observations)
  const about = { ...data, truncated, ...(id !== undefined && { observation_id: id }), ...mediaOf(result) }
  if (result.isError)
    return { status: 'error', error: { code: 'EXECUTION_ERROR', message: text }, data: about }
  return { status: truncated ? 'partial' : 'success', data: about, text }
}

function textOf({ content, structuredContent }: CallResult): string {
  const parts = content.map(describeContent)
  // Servers should repeat structured content as text, and the model need not read it twice.
  const repeated = content.some(({ text }) => isDeepStrictEqual(parseJson(text), structuredContent))
  if (structuredContent !== undefined && !repeated) parts.push(JSON.stringify(structuredContent))
  return cleanText(parts.join('\n'))
}

/** Pictures and sound are only named, because a tool's result is text. */
function describeContent(content: Content): string {
  switch (content.type) {
    case 'text':
      return asText(content.text)
    case 'image':
    case 'audio':
      return `[${content.type}: ${asLine(content.mimeType)}, ${bytesOf(content.data)} bytes]`
    case 'resource_link':
      return `[resource: ${asLine(content.uri)} ${asLine(content.name)}]`
    case 'resource':
      return describeResource(content.resource)
    default:
      return `[content of type ${asLine(content.type)}]`
  }
}

function describeResource(resource: unknown): string {
  const { uri, text, blob, mimeType } = looseObject({}).catch({}).parse(resource)
  if (typeof text === 'string') return `[resource: ${asLine(uri)}]\n${text}`
  return `[resource: ${asLine(uri)} ${asLine(mimeType)}, ${bytesOf(blob)} bytes]`
}

/** Further pictures are only named in the text, which has its own limit. */
const mediaLimit = 20

function mediaOf({ content }: CallResult): { readonly media?: readonly Json[] } {
  const media = content
    .filter(({ type }) => type === 'image' || type === 'audio')
    .slice(0, mediaLimit)
    .map(({ mimeType, data }) => ({ mime_type: asLine(mimeType), bytes: bytesOf(data) }))
  return media.length === 0 ? {} : { media }
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string' || !/^\s*\{/.test(text)) return null
  try {
    return JSON.parse(text)
  } catch {
    // Ordinary text that begins with a brace.
    return null
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asLine(value: unknown): string {
  return safeLine(asText(value)).slice(0, 300)
}

function bytesOf(base64: unknown): number {
  return Buffer.byteLength(asText(base64), 'base64')
}
