import { shellPath } from '@mutsumi/host'
import { forkStored } from '../../sessions/fork-stored.js'
import type { FirstRunWorld } from './first-run-world.js'

/** Offers a copy of a session that another process is writing. Undefined if the user wants none. */
export async function forkIfWanted(
  path: string,
  { words, ask, say }: FirstRunWorld,
): Promise<string | undefined> {
  const { inUse } = words.firstRun
  const wanted = await ask.choose({
    title: inUse.title(shellPath(path)),
    choices: [
      { label: inUse.fork, value: true },
      { label: inUse.leave, value: false },
    ],
    isNumbered: true,
    isUnexpected: true,
  })
  if (!wanted) return undefined
  const fork = await forkStored(path)
  say([inUse.forked(shellPath(fork.path))])
  return fork.path
}
