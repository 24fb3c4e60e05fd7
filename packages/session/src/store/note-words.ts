import { type PhraseTemplates, wordedIn } from '@mutsumi/schema'

/** Notes that have other languages. */
export const englishNotes = {
  'foreign-line':
    'not written by Mutsumi, or changed since: this line stays in the file, but it is not shown and never sent to a model. To look at such lines and accept them: mutsumi sessions accept {0}',
  'foreign-added':
    'Another program added {0} records while the session was open. They are not used until it is opened again.',
  'busy-file':
    'Another program keeps changing {0}, so it is read again before everything that is saved. Nothing that was saved is lost; find that program and keep it away from the file.',
} as const

type NoteCode = keyof typeof englishNotes
export type NoteTemplates = PhraseTemplates<NoteCode>

export const noteWords = wordedIn(englishNotes)
