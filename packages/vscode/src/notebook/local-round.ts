import { localEnd, localFault, localLine, localRefusal } from '@mutsumi/host'
import { editorWarning, forEditor } from './editor-words.js'
import type { RoundActivity } from './round-activity.js'
import { type RoundOutput, type RoundPart, type UnsentRun, warningText } from './round-output.js'

/** A round as a person reads it: Mutsumi's words are in their language. Sessions and models have them in English. */
export function localRound(round: RoundOutput, language: string): RoundOutput {
  const { fault, unsent, activity, ...rest } = round
  return {
    ...rest,
    parts: round.parts.map((part) => localPart(part, language)),
    ...(round.message && {
      message: forEditor(localEnd({ message: round.message, fault }, language), language),
    }),
    ...(activity && { activity: localActivity(activity, language) }),
    ...(unsent && { unsent: localUnsent(unsent, language) }),
  }
}

function localActivity(activity: RoundActivity, language: string): RoundActivity {
  if (activity.kind !== 'retry') return activity
  const { fault, text, ...retry } = activity
  return { ...retry, text: fault ? forEditor(localFault(fault, language), language) : text }
}

function localUnsent({ fault, ...unsent }: UnsentRun, language: string): UnsentRun {
  return { ...unsent, message: forEditor(localEnd({ message: unsent.message, fault }, language), language) }
}

function localPart(part: RoundPart, language: string): RoundPart {
  if (part.kind === 'note') return localNote(part, language)
  if (part.kind !== 'tool' || !part.phrase) return part
  const { phrase, line = '', ...rest } = part
  return { ...rest, line: localLine({ line, phrase }, language) }
}

function localNote(part: Extract<RoundPart, { kind: 'note' }>, language: string): RoundPart {
  const { warning, lines, ...note } = part
  if (warning) return { ...note, text: warningText(editorWarning(warning, language)) }
  if (lines) return { ...note, text: lines.map((line) => localRefusal(line, language)).join('\n') }
  return note
}
