import type { RoundOutput } from './round-output.js'

/** Whether a round waits for a person. */
export function isWaiting({
  state,
  parts,
  asked = [],
}: Pick<RoundOutput, 'state' | 'parts' | 'asked'>): boolean {
  const isAsking =
    asked.length > 0 || parts.some((part) => part.kind === 'tool' && part.question !== undefined)
  return state === 'running' && isAsking
}
