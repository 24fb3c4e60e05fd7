import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'

/** What came in, as the JSON it is measured by and the value that says. */
export interface GivenResult {
  readonly json: string
  readonly value: Json
  /** The value's parts, where it is a tool's result as ours are. */
  readonly result: ResultParts | undefined
}

export interface ResultParts {
  /** Absent in what was made of a plain text. */
  readonly status: string | undefined
  readonly data: JsonObject
  readonly text: string | undefined
  readonly error: Json | undefined
  /** What the tool was called with. */
  readonly call: JsonObject
}

/** Stands for what JSON has no words for: a cycle, a big integer, an object that throws when it is looked at. */
const unwritable = '(a result that cannot be written as JSON)'

/** Reads whatever a tool returned. A text that is no JSON is a value of its own. */
export function readGiven(result: unknown): GivenResult {
  const json = typeof result === 'string' ? result : writeJson(result)
  const value = parseJson(json)
  if (value === undefined) return { json: JSON.stringify(json), value: json, result: undefined }
  return { json, value, result: partsOf(value) }
}

/** What stays of an error: its code and its message, whole. Only the last rung of the ladder clips them. */
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

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    // Most tools of other programs answer with plain text.
    return undefined
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

/** Other programs' objects have a `status` or a `data` too: ours have nothing that would be lost. */
function isResult(value: JsonObject): boolean {
  const has = (name: string) => Object.hasOwn(value, name)
  if (has('status')) return statuses.has(value.status) && (has('data') || has('error') || has('text'))
  return isJsonObject(value.data) && Object.keys(value).length === 1
}
