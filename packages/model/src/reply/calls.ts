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
  const used = new Map<string, number>()
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

/** Some servers give every call the same id. `used` remembers how far each was counted. */
function unusedId(id: string, used: Map<string, number>): string {
  let count = used.get(id) ?? 1
  let unused = id
  while (used.has(unused)) unused = `${id}_${++count}`
  used.set(id, count)
  used.set(unused, 1)
  return unused
}
