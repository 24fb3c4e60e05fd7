import { isJsonObject, type RecordedCall } from '@mutsumi/schema'
import type { WireCall } from '../wire/wire-part.js'

/** The calls of a complete reply, or the name of a tool whose arguments cannot be read. In that case nothing may run. */
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

/** Some models send no arguments at all for a tool without parameters. */
function parseArguments(input: string) {
  if (input.trim() === '') return {}
  try {
    const args: unknown = JSON.parse(input)
    return isJsonObject(args) ? args : undefined
  } catch {
    // Cut off or never complete; the caller reports it.
    return undefined
  }
}
