import { stepWords } from '@mutsumi/react-text'
import {
  type FoundSession,
  type SearchOptions,
  type SessionFault,
  searchSessions,
  type UnsearchedSession,
} from '@mutsumi/session/node'
import { sessionsPlace } from './sessions-place.js'

/** Searches all sessions of a workspace, the most recently active first, and yields each one as soon as it was read. */
export function searchWorkspace(
  root: string,
  words: string,
  options: Omit<SearchOptions, 'wordsOf'> = {},
): AsyncGenerator<FoundSession | UnsearchedSession | SessionFault> {
  return searchSessions(sessionsPlace(root), words, { ...options, wordsOf: stepWords })
}
