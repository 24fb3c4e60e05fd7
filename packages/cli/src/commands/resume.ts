import { safeJson } from '@mutsumi/schema'
import { drawSessionState } from '../drawing/draw-session-state.js'
import { workspaceFolder } from '../place/place.js'
import { findSession, newestSession } from '../sessions/find-session.js'
import { withStoredSession } from '../sessions/open-stored.js'
import { sessionState } from '../sessions/session-state.js'
import { printLine } from '../terminal/output.js'
import { stopOnInterrupt } from '../terminal/stop-signal.js'
import { withTimeout } from '../terminal/timed-signal.js'
import type { PromptOptions } from './prompt.js'

/** The session that `mutsumi resume` continues: the named one, or the newest. */
export async function resumedSession(
  name: string | undefined,
  { C }: Pick<PromptOptions, 'C'>,
): Promise<string> {
  const root = workspaceFolder(C)
  return name === undefined ? newestSession(root) : findSession(name, root)
}

/** `mutsumi resume` without a terminal: shows the state of a session; with `-p`, runs its next round. */
export async function runResume(name: string | undefined, options: PromptOptions): Promise<void> {
  if (options.print !== undefined) {
    const limit = await withTimeout(stopOnInterrupt(), options.timeout)
    return (await import('./prompt.js')).runPrompt(options, limit, () => resumedSession(name, options))
  }
  const path = await resumedSession(name, options)
  await withStoredSession(path, (file) => {
    const state = sessionState(file)
    printLine(options.json ? safeJson(state) : drawSessionState(state, { workspace: options.C }))
  })
}
