import { stepWords } from '@mutsumi/react-text'
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
  const options = { wordsOf: stepWords, atMost: perSession, signal }
  for (const root of roots)
    for await (const found of searchSessions(sessionsFolder(root), words, options)) {
      if (found.kind !== 'found') continue
      const { path, lastAt, summary } = found.session
      const title = summary?.title ?? path.replace(/^.*[\\/]/, '')
      for (const match of found.matches) yield { path, title, lastAt, match }
    }
}
