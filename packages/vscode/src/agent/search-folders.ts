import { parseReply } from '@mutsumi/react-text'
import type { StepRecord } from '@mutsumi/schema'
import type { SessionMatch } from '@mutsumi/session'
import { searchSessions, sessionsFolder } from '@mutsumi/session/node'

/** A line of a session in which the words occur. */
export interface LineInSession {
  readonly path: string
  readonly title: string
  readonly lastAt: string
  readonly match: SessionMatch
}

const perSession = 20

/** Searches the sessions of some folders, each line as soon as its session was read. */
export async function* searchFolders(
  roots: readonly string[],
  words: string,
  signal: AbortSignal,
): AsyncGenerator<LineInSession> {
  const options = { wordsOf, atMost: perSession, signal }
  for (const root of roots)
    for await (const found of searchSessions(sessionsFolder(root), words, options)) {
      if (found.kind !== 'found') continue
      const { path, lastAt, summary } = found.session
      const title = summary?.title ?? path.replace(/^.*[\\/]/, '')
      for (const match of found.matches) yield { path, title, lastAt, match }
    }
}

/** A step without protocol text. Its calls are searched by their arguments. */
function wordsOf({ content, metadata }: StepRecord): string {
  if (metadata?.protocol === 'native') return content
  const reply = parseReply(content)
  if (reply.kind === 'answer') return reply.text
  if (reply.kind === 'malformed') return content
  return reply.kind === 'finish' ? `${reply.thought}\n${reply.answer}` : reply.thought
}
