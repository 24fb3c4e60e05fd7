import { isJsonObject, type Json, type JsonObject, parsedJson } from '@mutsumi/schema'

/** The input as a value, and as the JSON whose length is the limit. */
export interface GivenResult {
  readonly json: string
  readonly value: Json
  /** The value's parts, if it is a tool result in our form. */
  readonly result: ResultParts | undefined
}

export interface ResultParts {
  /** Absent if the result was made from plain text. */
  readonly status: string | undefined
  readonly data: JsonObject
  readonly text: string | undefined
  readonly error: Json | undefined
  /** The arguments of the call. */
  readonly call: JsonObject
}

/** Replaces values that JSON cannot express: a cycle, a big integer, an object whose getters throw. */
const unwritable = '(a result that cannot be written as JSON)'

/** Reads anything that a tool returned. Text that is not JSON is kept as a string value. */
export function readGiven(result: unknown): GivenResult {
  const json = typeof result === 'string' ? result : writeJson(result)
  const value = parsedJson(json)
  if (value === undefined) return { json: JSON.stringify(json), value: json, result: undefined }
  return { json, value, result: partsOf(value) }
}

/** The kept part of an error: its code and its whole message. Only the last rung of the ladder clips them. */
export function keepError(error: Json | undefined): { readonly error?: Json } {
  if (typeof error === 'string') return { error }
  if (!isJsonObject(error)) return {}
  const { code, message } = error
  return { error: { ...keepPart('code', code), ...keepPart('message', message) } }
}

function keepPart(name: string, value: Json | undefined): JsonObject {
  return typeof value === 'number' || typeof value === 'string' ? { [name]: value } : {}
}

function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return JSON.stringify(unwritable)
  }
}

const statuses: ReadonlySet<unknown> = new Set(['success', 'partial', 'error'])

function partsOf(value: Json): ResultParts | undefined {
  if (!isJsonObject(value) || !isResult(value)) return undefined
  const { status, data, text, error, context } = value
  return {
    status: typeof status === 'string' ? status : undefined,
    data: isJsonObject(data) ? data : {},
    text: typeof text === 'string' ? text : undefined,
    error,
    call: isJsonObject(context) && isJsonObject(context.params_input) ? context.params_input : {},
  }
}

/** Objects of other programs may have a `status` or `data` too. Ours have only known fields, so nothing would be lost. */
function isResult(value: JsonObject): boolean {
  const has = (name: string) => Object.hasOwn(value, name)
  if (has('status')) return statuses.has(value.status) && (has('data') || has('error') || has('text'))
  return isJsonObject(value.data) && Object.keys(value).length === 1
}
