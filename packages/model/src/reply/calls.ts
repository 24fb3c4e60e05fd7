import { isJsonObject, type JsonObject, type RecordedCall } from '@mutsumi/schema'

/** A call as it came: its arguments still a text. */
export interface WireCall {
  readonly id: string
  readonly name: string
  readonly input: string
  /** What the provider wants back with it. */
  readonly provider?: JsonObject
}

/** The calls of a whole reply, or the name of a tool whose arguments cannot be read: then nothing may run. */
export function parseCalls(
  calls: readonly WireCall[],
): readonly RecordedCall[] | { readonly broken: string } {
  const used = new Set<string>()
  const parsed: RecordedCall[] = []
  for (const { id, name, input, provider } of calls) {
    const args = parseArguments(input)
    if (args === undefined || name === '') return { broken: name }
    const own = unusedId(id === '' ? 'call' : id, used)
    parsed.push({ id: own, name, args, ...(provider && { provider }) })
  }
  return parsed
}

/** A tool without arguments is called with nothing at all by some models. */
function parseArguments(input: string) {
  if (input.trim() === '') return {}
  try {
    const args: unknown = JSON.parse(input)
    return isJsonObject(args) ? args : undefined
  } catch {
    // Cut or never whole; the caller tells it.
    return undefined
  }
}

/** Some servers give every call the same id. */
function unusedId(id: string, used: Set<string>): string {
  let unused = id
  for (let count = 2; used.has(unused); count++) unused = `${id}_${count}`
  used.add(unused)
  return unused
}
