import { safeJson, safeLine } from '@mutsumi/schema'
import type { FoundSession, UnsearchedSession } from '@mutsumi/session/node'
import { colorMarks, drawFound, plainMarks } from '../drawing/draw-search.js'
import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { searchWorkspace } from '../sessions/search-workspace.js'
import { sessionsPlace } from '../sessions/sessions-place.js'
import { Failure, UsageError } from '../terminal/failure.js'
import { printError, printLine } from '../terminal/output.js'
import { say } from '../words/say.js'

export interface SearchCommandOptions extends WorkspaceFlags {
  readonly all?: boolean
  readonly json?: boolean
}

/** How many lines of a session are shown without `--all`. */
const shownAtMost = 5

/** `mutsumi sessions search`: finds text in sessions. Like grep, it exits with 1 if nothing was found. */
export async function runSearchSessions(
  words: readonly string[],
  { C, all, json }: SearchCommandOptions,
): Promise<void> {
  const text = words.join(' ').trim()
  if (text === '') throw new UsageError(say`the search text is blank`)
  const root = workspaceFolder(C)
  const atMost = all || json ? Number.POSITIVE_INFINITY : shownAtMost
  const found: FoundSession[] = []
  const unsearched: UnsearchedSession[] = []
  for await (const answer of searchWorkspace(root, text, { atMost })) {
    if (answer.kind === 'fault') throw new Failure(answer)
    if (answer.kind === 'unsearched') unsearched.push(answer)
    else if (found.push(answer) && !json) printFound(answer, found.length)
  }
  if (json) printLine(safeJson(asJson({ root, text, found, unsearched })))
  else {
    for (const { fault } of unsearched) printError(say`not searched: ${fault.message}`)
    if (found.length === 0) printLine(say`No session of this workspace contains "${safeLine(text)}".`)
  }
  if (found.length === 0) process.exitCode = 1
}

function printFound(found: FoundSession, number: number): void {
  const isColored = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  const text = drawFound(found, isColored ? colorMarks : plainMarks)
  printLine(number === 1 ? text : `\n${text}`)
}

interface Searched {
  readonly root: string
  readonly text: string
  readonly found: readonly FoundSession[]
  readonly unsearched: readonly UnsearchedSession[]
}

function asJson({ root, text, found, unsearched }: Searched) {
  return {
    folder: sessionsPlace(root),
    text,
    sessions: found.map(({ session: { path, lastAt, summary }, matches, total }) => ({
      path,
      ...{ id: summary?.id, title: summary?.title, lastAt },
      total,
      matches,
    })),
    unsearched: unsearched.map(({ session: { path }, fault: { message } }) => ({ path, fault: message })),
  }
}
