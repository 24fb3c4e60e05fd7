import { dirname } from 'node:path'
import { stepWords } from '@mutsumi/react-text'
import type { SessionMatch } from '@mutsumi/session'
import { type SearchOptions, searchSessionFiles, searchSessions, sessionsFolder } from '@mutsumi/session/node'

/** A line of a session in which the words occur. */
export interface LineInSession {
  readonly path: string
  readonly title: string
  readonly lastAt: string
  readonly match: SessionMatch
}

/** The sessions that a view lists: those of workspace folders, and files in other places. */
export interface SearchedPlaces {
  readonly roots: readonly string[]
  readonly files: readonly string[]
}

const perSession = 20

/** Searches sessions, each line as soon as its session was read. */
export async function* searchPlaces(
  places: SearchedPlaces,
  words: string,
  signal: AbortSignal,
): AsyncGenerator<LineInSession> {
  for await (const found of sessionsWith(places, words, { wordsOf: stepWords, atMost: perSession, signal })) {
    if (found.kind !== 'found') continue
    const { path, lastAt, summary } = found.session
    const title = summary?.title ?? path.replace(/^.*[\\/]/, '')
    for (const match of found.matches) yield { path, title, lastAt, match }
  }
}

async function* sessionsWith({ roots, files }: SearchedPlaces, words: string, options: SearchOptions) {
  const folders = roots.map(sessionsFolder)
  for (const folder of folders) yield* searchSessions(folder, words, options)
  const elsewhere = new Set(files.filter((path) => !folders.includes(dirname(path))))
  yield* searchSessionFiles([...elsewhere], words, options)
}
