/*
 * A script is a JSON file or a JSON Lines file. As JSON it is a list of replies, or an object:
 *
 *     {"contextWindow": 8000, "callsTools": true, "replies": [ … ]}
 *
 * As JSON Lines (a file whose name ends in .jsonl) each line is a reply; blank lines and lines that begin with // do
 * not count. Replies are played in order, one for each request. A reply is a text, or an object of these, all optional:
 *
 *     text      the text of the reply
 *     chunks    instead of text: a list of texts, or of {"text": …, "delayMs": …} with a wait before each
 *     reasoning the model's thoughts before the text
 *     calls     native tool calls: [{"name": …, "args": {…}, "id": …}]; missing ids are made up
 *     usage     {"input": …, "output": …, "cached": …, "written": …}; default: a third of the characters
 *     finish    stop, calls, length, filter, refusal or other; default: calls if there are some, else stop
 *     fault     {"kind": …, "message": …, "status": …, "retryAfterMs": …}: comes after the text, instead of an end
 *     hang      true: nothing more comes, until the request is cancelled
 *     delayMs   wait before the reply begins
 *     expect    a text that the request must contain, {"regex": …, "flags": …}, or a list of both; if it does
 *               not, the reply is a fault that says so
 *     repeat    how often it is played; default: once
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { isJsonObject, type ModelFault } from '@mutsumi/schema'
import { decodeReply, type ScriptedReply } from './scripted-reply.js'

export interface Script {
  readonly replies: readonly ScriptedReply[]
  readonly contextWindow?: number
  readonly callsTools: boolean
}

/** Reads a script. Returns a fault if it cannot be read or is invalid. */
export async function readScript(path: string): Promise<Script | ModelFault> {
  try {
    return parseScript(await textOf(path), path)
  } catch (error) {
    return scriptFault(path, error instanceof Error ? error.message : String(error))
  }
}

const largestScript = 256 * 1024 * 1024

/** Without waiting: a pipe may have no writer. */
async function textOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error('it is not a regular file')
    if (stats.size > largestScript) throw new Error('it is larger than 256 MiB')
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** Parses a script; throws if it is invalid. */
function parseScript(text: string, path: string): Script {
  const clean = text.replace(/^\ufeff/, '')
  if (path.endsWith('.jsonl')) return scriptOf(linesOf(clean), {})
  const value: unknown = JSON.parse(clean)
  if (Array.isArray(value)) return scriptOf(value, {})
  if (isJsonObject(value) && Array.isArray(value.replies)) return scriptOf(value.replies, value)
  throw new Error('a script is a list of replies, or {"replies": [ … ]}')
}

export function scriptFault(path: string, problem: string): ModelFault {
  return { kind: 'configuration', message: `scripted:${path}: ${problem}` }
}

function scriptOf(replies: readonly unknown[], options: Readonly<Record<string, unknown>>): Script {
  const { contextWindow, callsTools } = options
  if (contextWindow !== undefined && typeof contextWindow !== 'number')
    throw new Error('contextWindow is not a number')
  return {
    replies: replies.flatMap((reply, index) => decodeReply(reply, `reply ${index + 1}`)),
    callsTools: callsTools === true,
    ...(contextWindow !== undefined && { contextWindow }),
  }
}

function linesOf(text: string): unknown[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '' || line.startsWith('//')) return []
    try {
      return [JSON.parse(line) as unknown]
    } catch (error) {
      throw new Error(`line ${index + 1}: ${error instanceof Error ? error.message : error}`)
    }
  })
}
