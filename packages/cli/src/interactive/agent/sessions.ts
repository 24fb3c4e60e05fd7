import { basename, resolve } from 'node:path'
import { noteMoved } from '@mutsumi/host'
import { type AgentMessage, safeLine } from '@mutsumi/schema'
import { sessionTitle } from '@mutsumi/session'
import { type ListedSession, listSessions, renameSession } from '@mutsumi/session/node'
import { answerText } from '../../sessions/answer-text.js'
import { formatOf, sessionDocument, writeNewFile } from '../../sessions/export-session.js'
import { findSession } from '../../sessions/find-session.js'
import { forkStored } from '../../sessions/fork-stored.js'
import { sessionFailure } from '../../sessions/open-stored.js'
import { searchWorkspace } from '../../sessions/search-workspace.js'
import { sessionsPlace } from '../../sessions/sessions-place.js'
import { Failure } from '../../terminal/failure.js'
import { say } from '../../words/say.js'
import type { CurrentSession } from './current-session.js'
import { isUsers, lastRounds, type RecordedRounds } from './recorded-rounds.js'

/** A session that the user can continue. */
export interface KnownSession {
  readonly path: string
  readonly name: string
  readonly title: string
  /** Absent if the file is so long that counting would slow a list down. */
  readonly rounds?: number
  readonly lastAt: string
  /** It is the session of this conversation. */
  readonly isOpen: boolean
}

/** A line of a session that contains the words. */
export interface SessionLine extends Pick<KnownSession, 'path' | 'name' | 'title'> {
  readonly round?: number
  readonly line: string
}

/** A message of the session that the user can go back to. */
export interface EarlierMessage {
  /** From 1. */
  readonly round: number
  readonly text: string
}

/** Finds the sessions of the workspace and switches between them. */
export class Sessions {
  readonly #current: CurrentSession
  readonly #root: string
  readonly #ended: () => void

  /** `ended` is called when another session is opened: permissions for the last one end then. */
  constructor(
    current: CurrentSession,
    { root, ended }: { readonly root: string; readonly ended: () => void },
  ) {
    this.#current = current
    this.#root = root
    this.#ended = ended
  }

  /** The title of the session; undefined before the first prompt. */
  get title(): string | undefined {
    const { file } = this.#current
    return file && sessionTitle(file.session)
  }

  /** The most recently active first. Sessions of sub-agents are left out, because they belong to others. */
  async list(): Promise<readonly KnownSession[]> {
    const list = await listSessions(sessionsPlace(this.#root))
    if (list.kind === 'fault') throw new Failure(list)
    return list.sessions
      .filter(({ summary }) => summary && summary.parent === undefined)
      .map((session) => this.#known(session))
  }

  /** The path of the session with a name; undefined if no session, or more than one, matches. */
  async find(name: string): Promise<string | undefined> {
    return findSession(name, this.#root).catch(() => undefined)
  }

  /** Lines that contain the words, from all sessions, a few per session. */
  async search(words: string, signal?: AbortSignal): Promise<readonly SessionLine[]> {
    const lines: SessionLine[] = []
    const options = { atMost: linesOfSession, ...(signal && { signal }) }
    for await (const answer of searchWorkspace(this.#root, words, options)) {
      if (answer.kind !== 'found' || answer.session.summary?.parent !== undefined) continue
      const { path, name, title } = this.#known(answer.session)
      for (const { round, line } of answer.matches)
        lines.push({ path, name, title, ...(round === undefined ? {} : { round }), line: line.trim() })
      if (lines.length >= foundLines) break
    }
    return lines
  }

  /** Switches to another session. */
  async open(path: string): Promise<void> {
    this.#refuseUnkept()
    if (path === this.#current.file?.path) return
    await this.#current.goTo(path)
    this.#ended()
  }

  /** The next prompt begins a new session. */
  async begin(): Promise<void> {
    await this.#current.leave()
    this.#ended()
  }

  /** Switches to a copy with the first rounds, or with all if `rounds` is absent. With 0 rounds it is a new session. */
  async fork(rounds?: number): Promise<string | undefined> {
    const file = this.#kept()
    if (rounds === 0) {
      await this.#current.leave()
      return undefined
    }
    const { path } = await forkStored(file.path, rounds === undefined ? {} : { round: rounds })
    await this.#current.goTo(path)
    return path
  }

  /** Gives the session another title and renames its file accordingly. Returns the new path. */
  rename(title: string): Promise<string> {
    return this.#current.during(this.#kept().path, async (path) => {
      const moving = await renameSession(path, { title })
      if (moving.kind !== 'moved') throw sessionFailure(moving, path)
      noteMoved(moving.path)
      return moving.path
    })
  }

  /** The user's messages in this session, the oldest first. */
  messages(): readonly EarlierMessage[] {
    const cells = this.#current.file?.session.cells ?? []
    return cells.filter(isUsers).map(({ content }, index) => ({ round: index + 1, text: content }))
  }

  /** An answer, counted from the end; 1 is the last. Undefined if there are not so many. */
  answer(number: number): string | undefined {
    const cells = this.#current.file?.session.cells ?? []
    let left = number
    for (const { metadata } of cells.toReversed()) {
      const said = metadata?.mutsumi_interaction?.findLast(isAnswer)
      if (said && --left === 0) return answerText(said)
    }
    return undefined
  }

  /** Writes the session to a new file. By default, its name is that of the session. */
  exportTo(file: string): string {
    const { file: session } = this.#current
    if (!session) throw new Failure(say`there is no session yet: the first message begins one`)
    const path = resolve(file || `${session.isInMemory ? 'session' : basename(session.path, '.mtm')}.md`)
    writeNewFile(path, sessionDocument(session, formatOf(path)))
    return path
  }

  last(count: number): RecordedRounds {
    const { file } = this.#current
    return file ? lastRounds(file, count) : { before: 0, rounds: [] }
  }

  #known({ path, lastAt, summary }: ListedSession): KnownSession {
    return {
      path,
      name: basename(path, '.mtm'),
      title: safeLine(summary?.title ?? ''),
      ...(summary?.rounds === undefined ? {} : { rounds: summary.rounds }),
      lastAt,
      isOpen: path === this.#current.file?.path,
    }
  }

  #refuseUnkept(): void {
    if (!this.#current.isKept)
      throw new Failure(say`this conversation was started with --no-session, so it keeps no session`)
  }

  #kept() {
    this.#refuseUnkept()
    const { file } = this.#current
    if (file) return file
    throw new Failure(say`there is no session yet: the first message begins one`)
  }
}

function isAnswer({ role, metadata }: AgentMessage): boolean {
  return role === 'assistant' && metadata?.final === true
}

const linesOfSession = 3
const foundLines = 60
