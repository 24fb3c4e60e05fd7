import { shellPath } from '@mutsumi/host'
import {
  type Opening,
  openSession,
  type SessionFault,
  type SessionFile,
  type SessionLocked,
} from '@mutsumi/session/node'
import { Failure } from '../terminal/failure.js'
import { printWarnings } from '../terminal/warnings.js'
import { say, sayFault } from '../words/say.js'

/**
 * Opens a session for reading only: nothing is changed, and others may still write. Problems of the file are reported
 * first.
 */
export async function withStoredSession<Result>(
  path: string,
  look: (file: SessionFile) => Result | Promise<Result>,
): Promise<Result> {
  const file = openedOrFailure(await openSession(path, { readOnly: true }), path)
  try {
    printWarnings(file.notes)
    return await look(file)
  } finally {
    // Texts that turned out to be damaged when they were read.
    printWarnings(file.news)
    await file.close()
  }
}

/** Another process is writing the session. Its path, so that a conversation can offer a copy. */
export class SessionInUse extends Failure {
  constructor(
    said: string,
    readonly path: string,
  ) {
    super(said)
  }
}

export function openedOrFailure(opening: Opening, path: string): SessionFile {
  if (opening.kind === 'opened') return opening.file
  throw sessionFailure(opening, path)
}

/** The error. For a session that another process is writing, also the commands to use instead. */
export function sessionFailure(problem: SessionFault | SessionLocked, path: string): Failure {
  if (problem.kind === 'fault') return new Failure(problem)
  const word = shellPath(path)
  const ways = say`${sayFault(problem)} (mutsumi export ${word} shows it, mutsumi fork ${word} copies it)`
  return new SessionInUse(ways, path)
}
