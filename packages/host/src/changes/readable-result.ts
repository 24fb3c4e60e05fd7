import { isJsonObject, type Json } from '@mutsumi/schema'
import { readableJson } from './readable-json.js'

/**
 * A result as the model read it, with the JSON of its header as one line per fact.
 *
 *     {"status":"partial","exit_code":6,"notes":["a","b"]}      exit code: 6
 *     boom                                                   →  notes: a; b
 *                                                               boom
 */
export function readableResult(text: string): string {
  const [first = '', ...rest] = text.split('\n')
  const header = headerIn(first)
  if (!header) return text
  return [...Object.entries(header).flatMap(([name, value]) => factLines(name, value)), ...rest].join('\n')
}

/** The answer of a server as people read it. Many servers answer in JSON, as a whole or in some lines. */
export function readableAnswer(text: string): string {
  const whole = jsonIn(text)
  if (whole !== undefined) return readableJson(whole)
  return text
    .split('\n')
    .map((line) => {
      const value = jsonIn(line)
      return value === undefined ? line : readableJson(value)
    })
    .join('\n')
}

/** Undefined for ordinary text. */
function jsonIn(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    // It only begins with a brace.
    return undefined
  }
}

function headerIn(line: string): Readonly<Record<string, Json>> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const parsed: unknown = JSON.parse(line)
    return isJsonObject(parsed) ? parsed : undefined
  } catch {
    // The first line of a tool's own text.
    return undefined
  }
}

function factLines(name: string, value: Json): readonly string[] {
  // Another fact says what is missing, and how letters are written matters to models only.
  if (name === 'escapes' || (name === 'status' && value === 'partial')) return []
  return [`${name.replaceAll('_', ' ')}: ${valueText(value)}`]
}

function valueText(value: Json): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(valueText).join('; ')
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([name, inner]) => `${name.replaceAll('_', ' ')} ${valueText(inner)}`)
      .join(', ')
  return String(value)
}
