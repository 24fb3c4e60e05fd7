import { isJsonObject, type RecordedCall } from '@mutsumi/schema'
import type { WireCall } from '../wire/wire-part.js'

/** The calls of a whole reply, or the name of a tool whose arguments cannot be read: then nothing may run. */
export function parseCalls(
  calls: readonly WireCall[],
): readonly RecordedCall[] | { readonly broken: string } {
  const parsed: RecordedCall[] = []
  for (const { id, name, input, provider } of calls) {
    const args = parseArguments(input)
    if (args === undefined || name === '') return { broken: name }
    parsed.push({ id, name, args, ...(provider && { provider }) })
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
