import { localLine, localRefusal, localWarning } from '@mutsumi/host'
import { withoutFlags } from './remedies.js'
import { type RoundOutput, type RoundPart, warningText } from './round-output.js'

/** A round as a person reads it: Mutsumi's words are in their language. Sessions and models have them in English. */
export function localRound(round: RoundOutput, language: string): RoundOutput {
  return {
    ...round,
    parts: round.parts.map((part) => localPart(part, language)),
    ...(round.message && { message: withoutFlags(localRefusal(round.message, language)) }),
    ...(round.unsent && {
      unsent: { ...round.unsent, message: withoutFlags(localRefusal(round.unsent.message, language)) },
    }),
  }
}

function localPart(part: RoundPart, language: string): RoundPart {
  if (part.kind === 'note' && part.warning) {
    const { warning, ...rest } = part
    return { ...rest, text: warningText(localWarning(warning, language)) }
  }
  if (part.kind !== 'tool' || !part.phrase) return part
  const { phrase, line = '', ...rest } = part
  return { ...rest, line: localLine({ line, phrase }, language) }
}
