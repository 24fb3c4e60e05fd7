import { type PhraseTemplates, phrase, type WordedMessage, wordedIn } from '@mutsumi/schema'

/** Why a session could not be opened, written or moved, in words for people. */
export const englishSessionFaults = {
  // A file that is not a session.
  'other-file': '{1}: {0!}.',
  'binary-session': 'it is a binary file, not a session: nothing in it was changed',
  'empty-session': 'it is empty: there is no session in it',
  'newer-session':
    'it was written by a newer Mutsumi (session format {0}, this one reads 1): update Mutsumi to open it',
  'exported-session':
    'it is an export of a session, for other programs: opened as a session it would lose every answer. Open the session itself, or read this file as JSON. Nothing in it was changed',
  'not-a-session': 'it is not a Mutsumi session: {0!}. Nothing in it was changed',
  'too-large-for-session': 'it is larger than {0} bytes',
  'no-readable-line': 'no line of it could be read',
  'other-json': 'it is JSON of another kind',
  'emptied-session':
    '{0} is empty, but {1} beside it belongs to a session that it contained. Restore the file from git or a backup, or delete {2} to begin a new session here.',
  'lost-header':
    'Line 1 of {0} is not the header of a session, so nothing is written to it; {1} records after it can be read. Open it read-only or fork it, restore the file from git or a backup, or repair line 1 by hand and delete its "sum".',
  // The disk.
  'session-missing': 'There is no {0}.',
  'session-exists': '{0} exists already; nothing was overwritten. Choose another name.',
  'session-disk-full':
    'There is no room left for {0}: the disk is full ({1}). Free some space, then continue.',
  'session-quota-used':
    'There is no room left for {0}: your disk quota is used up ({1}). Free some space, then continue.',
  'session-too-large':
    'There is no room left for {0}: the file would be larger than its disk or a limit of this process allows ({1}). Raise the limit (ulimit -f), or fork the session at an earlier round.',
  'session-too-many-open': '{0} cannot be opened: too many files are open ({1}). Close some, then continue.',
  'session-in-use': '{0} is in use by another program ({1}). Close it there, then continue.',
  'session-read-only':
    '{0} or its folder cannot be written ({1}). Open it read-only, or change the permissions.',
  'session-link': '{0} is a symbolic link, and links are not followed. Name the file itself.',
  'session-irregular': '{0} is not a regular file ({1}).',
  'session-disk-failed': 'The disk failed on {0} ({1}). Check the disk, then try again.',
  'session-bad-name': '{0} is not a valid name on this file system ({1}). Choose another one.',
  'record-unsaved': '{0!} The record was not saved; everything before it is intact.',
  'session-damaged-again':
    '{0} was damaged again right after its damaged lines were removed. Check the disk.',
  'text-unreadable': 'A text in {0} can no longer be read, because another program changed the file.',
  'text-missing': '{0} is missing. If you moved the session, move its folder too.',
  'text-damaged': '{0} is damaged: its content does not match its hash. Restore it from a backup.',
  // Another process, or another program.
  'session-locked': '{0} is being written {1!} Open it read-only, or fork it and continue in the fork.{2!}',
  'by-unknown': 'by an unknown process.',
  'by-running': 'by process {0} on {1} since {2}.',
  'by-other-machine': 'by process {0} on {1} since {2}, which is another machine.',
  'by-same-name':
    'by process {0} since {2} on another machine, which is also called {1} and shares this disk.',
  'by-earlier-or-same-name':
    'by process {0} on {1} since {2}, either on this machine before its last restart or on another one with the same name. The disk may be shared, so it is not clear which.',
  'by-other-container':
    'by process {0} on {1} since {2}, in another container of this machine. Process {0} is another one here, so it is not known whether that process still runs.',
  'by-number-in-use':
    'by process {0} on {1} since {2}. A process with that number is running, but this system does not show whether it is the same one.',
  'remove-of-container': ' If you are sure that the container is gone, remove {0}.',
  'remove-of-mutsumi': ' If no Mutsumi is writing the session any more, remove {0}.',
  'remove-of-process': ' If you are sure that the process is gone, remove {0}.',
  'no-longer-regular': '{0} is no longer a regular file, because another program replaced it.',
  'session-replaced': '{0} is another session now, because another program replaced it. Open it again.',
  'replaced-while-opening': '{0} was replaced while it was being opened. Open it again.',
  'session-moved': '{0} was moved by another program. Put it back, or open it where it is now.',
  'records-kept': '{0!} The records saved before are in {1}: open that file to continue.',
  'session-outside':
    '{0} is really somewhere else: a link leads out of {1}, so nothing is read or written there. Replace the link with a folder, or use the real path of the file.',
  'session-dead-link': '{0} is a link that leads nowhere. Remove it.',
  // The request.
  'session-closed': 'The session is closed.',
  'no-such-round': 'There is no round {0}: the session has {1}.',
  'not-in-trash': '{0} is not in a trash folder.',
  'session-target-exists': '{0} exists already; nothing was overwritten.',
  'not-a-file-name': '"{0}" cannot be a file\'s name.',
} as const

export type SessionFaultTemplates = PhraseTemplates<keyof typeof englishSessionFaults>

export const sessionFaultWords = wordedIn(englishSessionFaults)

/** Words around a message, which may have no words as data itself. */
export function withInner(
  code: 'other-file' | 'record-unsaved' | 'records-kept',
  inner: WordedMessage,
  ...others: readonly string[]
): WordedMessage {
  const { message } = sessionFaultWords(code, inner.message, ...others)
  return { message, phrase: phrase(code, inner.phrase ?? inner.message, ...others) }
}
