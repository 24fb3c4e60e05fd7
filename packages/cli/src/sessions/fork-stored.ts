import { copiesOfFork, noteMoved } from '@mutsumi/host'
import { type Forking, type ForkOptions, forkSession } from '@mutsumi/session/node'
import { printWarnings } from '../terminal/warnings.js'
import { sessionFailure } from './open-stored.js'

/** Copies a session, which another process may be writing, into a new one. */
export async function forkStored(
  path: string,
  options: ForkOptions = {},
): Promise<Extract<Forking, { kind: 'forked' }>> {
  const forking = await forkSession(path, options)
  if (forking.kind === 'fault') throw sessionFailure(forking, path)
  noteMoved(forking.path)
  printWarnings(copiesOfFork(forking.header))
  return forking
}
