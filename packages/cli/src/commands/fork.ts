import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { shellPath } from '@mutsumi/host'
import { safeJson } from '@mutsumi/schema'
import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { findSession } from '../sessions/find-session.js'
import { forkStored } from '../sessions/fork-stored.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { say } from '../words/say.js'

interface ForkCommandOptions extends WorkspaceFlags {
  readonly round?: number
  readonly output?: string
  readonly json?: boolean
}

/** `mutsumi fork`: a new session with the first rounds of another one, which is not changed. */
export async function runFork(name: string, { C, round, output, json }: ForkCommandOptions): Promise<void> {
  const path = await findSession(name, workspaceFolder(C))
  const forking = await forkStored(path, {
    ...(round === undefined ? {} : { round }),
    ...(output === undefined ? {} : { to: placeFor(output) }),
  })
  if (json) return printLine(safeJson({ path: forking.path, id: forking.header.id, from: path }))
  const upTo = round === undefined ? '' : say` up to round ${round}`
  const word = shellPath(forking.path)
  printLine(say`${word} is a copy of ${shellPath(path)}${upTo}.\nTo continue it: mutsumi resume ${word}`)
}

/** Adds the ending that lists need, as a rename does. */
function placeFor(output: string): string {
  const path = resolve(output.endsWith('.mtm') ? output : `${output}.mtm`)
  if (existsSync(dirname(path))) return path
  throw new Failure(say`${path} cannot be created: there is no folder ${dirname(path)}`)
}
