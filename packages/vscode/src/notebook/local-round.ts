import { localRefusal } from '@mutsumi/host'
import type { RoundOutput, RoundPart } from './round-output.js'

/** A round as a person reads it: refusals are in their language. Sessions and models have them in English. */
export function localRound(round: RoundOutput, language: string): RoundOutput {
  if (!round.message && !round.parts.some(hasFailed)) return round
  return {
    ...round,
    parts: round.parts.map((part) =>
      hasFailed(part) ? { ...part, line: localRefusal(part.line, language) } : part,
    ),
    ...(round.message && { message: localRefusal(round.message, language) }),
  }
}

function hasFailed(
  part: RoundPart,
): part is Extract<RoundPart, { kind: 'tool' }> & { readonly line: string } {
  return part.kind === 'tool' && part.status === 'error' && part.line !== undefined
}
