import type { JsonObject } from '@mutsumi/schema'
import type { SessionFile } from '@mutsumi/session/node'

/** A recorded result: the text that the model read, and the diff if a file was changed. */
export interface ShownResult {
  readonly text: string
  readonly diff?: string
}

/** Renders a recorded result as the model read it. */
export type ResultText = (result: { readonly tool: string; readonly content: string }) => string

/** The newest result of a call, in full if the session has it in full. */
export function recordedResult(
  session: SessionFile,
  call: string,
  textOf: ResultText,
): ShownResult | undefined {
  const record = session.records.findLast((each) => each.type === 'result' && each.call === call)
  if (record?.type !== 'result') return undefined
  const { observation, tool } = record
  const whole = observation === undefined ? undefined : session.snapshotText(observation)
  const content = whole ?? record.content
  const diff = diffIn(content)
  return { text: textOf({ tool, content }), ...(diff === undefined ? {} : { diff }) }
}

function diffIn(content: string): string | undefined {
  const data = parsedObject(content)?.data
  return isObject(data) && typeof data.diff_preview === 'string' ? data.diff_preview : undefined
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
