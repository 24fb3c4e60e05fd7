import { parseReply } from '@mutsumi/react-text'
import type { StepRecord } from '@mutsumi/schema'
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
  return searchSessions(sessionsPlace(root), words, { ...options, wordsOf })
}

/** A step without protocol text. Its calls are searched by their arguments. */
function wordsOf({ content, metadata }: StepRecord): string {
  if (metadata?.protocol === 'native') return content
  const reply = parseReply(content)
  if (reply.kind === 'answer') return reply.text
  if (reply.kind === 'malformed') return content
  return reply.kind === 'finish' ? `${reply.thought}\n${reply.answer}` : reply.thought
}
