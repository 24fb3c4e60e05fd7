import type { AgentEvent, ModelFault } from '@mutsumi/schema'
import { say } from '../words/say.js'

type Retry = Extract<AgentEvent, { type: 'retry' }>

/** Why a request is tried again, in a few words: the whole message follows if the last try fails too. */
export function retryReason({ fault }: Retry): string {
  const reason = shortReason(fault)
  return fault.status === undefined ? reason : `${reason} (${fault.status})`
}

/** The try that comes next: 2 of 4. */
export function tryText({ attempt, attempts }: Retry): string {
  return attempts === undefined ? say`try ${attempt}` : say`try ${attempt} of ${attempts}`
}

function shortReason({ kind }: ModelFault): string {
  switch (kind) {
    case 'rate-limit':
      return say`the server limits the number of requests`
    case 'overloaded':
      return say`the server is busy or failed`
    case 'timeout':
      return say`the server did not answer in time`
    case 'network':
      return say`the connection failed`
    default:
      return say`the request failed`
  }
}
