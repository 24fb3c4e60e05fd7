import { type Phrase, type PhraseTemplates, phrase, phraseText } from '@mutsumi/schema'

/** The words about compactions in English. Translations have the same codes. */
export const englishCompactions = {
  'only-round': 'only {0} finished round can stay',
  'only-rounds': 'only {0} finished rounds can stay',
  'no-round-stays': 'no finished round can stay',
  'results-cut': 'earlier results of this round are cut',
  'results-reduced': 'tool results are reduced to what they were about',
  'results-clipped': 'results are clipped to {0} characters',
  'loss-nothing': 'Nothing leaves the view.',
  'loss-round': '{0!} leaves the view: {1!}, about {2!}.',
  'loss-rounds': '{0!} leave the view: {1!}, about {2!}.',
  'number-round': '{0} round',
  'number-rounds': '{0} rounds',
  'number-message': '{0} message',
  'number-messages': '{0} messages',
  'number-token': '{0} token',
  'number-tokens': '{0} tokens',
  'loss-asked': 'Asked:',
  'loss-files': 'Files:',
  'loss-commands': 'Commands:',
  'loss-earlier': '  ({0} earlier)',
  'loss-kept': 'All of it stays in the session: undoing the compaction brings it back.',
  'file-read': '  {0}: read {1!}',
  'file-changed': '  {0}: changed {1!}',
  'file-read-changed': '  {0}: read {1!}, changed {2!}',
  'file-interrupted': '  {0}: a change was interrupted',
  once: 'once',
  often: '{0} times',
  'compacting-threshold': '{0} of {1} tokens ({2!}) ≥ {3}: compacting',
  'count-estimated': 'estimated',
  'count-more': '{0} reported + {1} estimated',
  'count-less': '{0} reported − {1} estimated',
  'compacting-refused': 'the provider refused about {0} tokens as too long: compacting',
  'compacting-again': 'still about {0} of {1} tokens: compacting again',
  'compacting-asked': 'compacting about {0} tokens, as you asked',
} as const satisfies PhraseTemplates

export type CompactionCode = keyof typeof englishCompactions
export type CompactionTemplates = PhraseTemplates<CompactionCode>

/** A line about a compaction. */
export function compactionText(code: CompactionCode, ...args: readonly (string | number | Phrase)[]): string {
  return phraseText(phrase(code, ...args), englishCompactions)
}

/** `3 rounds` */
export function numberOf(number: number, noun: 'round' | 'message' | 'token'): Phrase {
  const code: CompactionCode = number === 1 ? `number-${noun}` : `number-${noun}s`
  return phrase(code, number)
}

/** `once`, `2 times` */
export function timesOf(number: number): Phrase {
  const code: CompactionCode = number === 1 ? 'once' : 'often'
  return phrase(code, number)
}
