import type { RecordedCall } from './history.js'
import { isJsonObject, type JsonObject } from './json.js'
import type { AgentMessage } from './message.js'

/**
 * The calls that an assistant's step makes. Sessions of other programs store them in the providers' wire format, as
 * `tool_calls` beside the content.
 */
export function callsOf(message: AgentMessage): readonly RecordedCall[] {
  const { metadata, tool_calls: wire } = message as AgentMessage & { readonly tool_calls?: unknown }
  if (message.role !== 'assistant') return noCalls
  if (Array.isArray(metadata?.calls)) return validCalls(metadata.calls)
  return Array.isArray(wire) ? wire.flatMap(callFromWire) : noCalls
}

const noCalls: readonly RecordedCall[] = []

/** Almost always all of them, and then the list itself. */
function validCalls(calls: readonly unknown[]): readonly RecordedCall[] {
  return calls.every(isCall) ? calls : calls.filter(isCall)
}

/** The call that a tool's message answers. */
export function answeredCall(message: AgentMessage): string | undefined {
  const { metadata, tool_call_id: wire } = message as AgentMessage & { readonly tool_call_id?: unknown }
  const id = metadata?.call_id ?? wire
  return typeof id === 'string' ? id : undefined
}

export function toolNameOf(message: AgentMessage): string {
  const { metadata, name } = message as AgentMessage & { readonly name?: unknown }
  const given = metadata?.tool_name ?? name
  return typeof given === 'string' ? given : ''
}

export function stepOf({ metadata }: AgentMessage): number | undefined {
  return typeof metadata?.step === 'number' ? metadata.step : undefined
}

function isCall(call: unknown): call is RecordedCall {
  return (
    isJsonObject(call) &&
    typeof call.id === 'string' &&
    typeof call.name === 'string' &&
    isJsonObject(call.args)
  )
}

function callFromWire(call: unknown): readonly RecordedCall[] {
  if (!isJsonObject(call) || typeof call.id !== 'string' || !isJsonObject(call.function)) return noCalls
  const { name, arguments: text } = call.function
  return typeof name === 'string' ? [{ id: call.id, name, args: parsedArguments(text) }] : noCalls
}

function parsedArguments(text: unknown): JsonObject {
  if (typeof text !== 'string') return {}
  try {
    const args: unknown = JSON.parse(text)
    return isJsonObject(args) ? args : {}
  } catch {
    // The reply was cut off. Its call gets an answer like any other.
    return {}
  }
}
