import type { JsonObject } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'
import { commandOutput, type ShownOutput } from './command-output.js'
import { readableAnswer, readableResult } from './readable-result.js'

/** A recorded result, as people see it. */
export interface ShownResult {
  /** The text that the model read. Its header is in words. */
  readonly text: string
  /** Present if a file was changed. */
  readonly diff?: string
  /** Present for a command. */
  readonly output?: ShownOutput
}

/** Renders a recorded result as the model read it. */
export type ResultText = (result: { readonly tool: string; readonly content: string }) => string

/** The newest result of a call, in full if the session has it in full. */
export function recordedResult(
  session: SessionFile,
  call: string,
  textOf: ResultText,
): ShownResult | undefined {
  const record = newestResult(session, call)
  if (!record) return undefined
  const { observation, tool } = record
  const whole = observation === undefined ? undefined : session.snapshotText(observation)
  const content = whole ?? record.content
  const data = dataIn(content)
  const diff = data?.diff_preview
  const output = data && commandOutput(data)
  const text = readableResult(textOf({ tool, content }))
  return {
    text: tool.startsWith('mcp__') ? readableAnswer(text) : text,
    ...(typeof diff === 'string' && { diff }),
    ...(output && { output }),
  }
}

function newestResult(session: SessionFile, call: string) {
  for (const record of session.newestRecords('result')) if (record.call === call) return record
  return undefined
}

function dataIn(content: string): JsonObject | undefined {
  const data = parsedObject(content)?.data
  return isObject(data) ? data : undefined
}

function parsedObject(content: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(content)
    return isObject(parsed) ? parsed : undefined
  } catch {
    // Results of other programs need not be JSON. Then they are text.
    return undefined
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
