import { safeLine } from '@mutsumi/schema'
import { openTrustStore } from '@mutsumi/tools'
import { openHost, placeOf } from '../host.js'
import type { WorkspaceOptions } from '../options.js'
import { Failure } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'

/** `mutsumi trust`: the user vouches for a workspace, or takes it back. Kept in the user's config, never in the project. */
export async function runTrust(options: WorkspaceOptions & { readonly remove?: boolean }): Promise<void> {
  const { root } = (await openHost(await placeOf(options))).workspace
  const store = await openTrustStore()
  const saving = options.remove ? store.distrust(root) : store.trust(root)
  if (saving.kind === 'fault') throw new Failure(saving.message)
  printLine(options.remove ? `${safeLine(root)} is no longer trusted` : `${safeLine(root)} is trusted`)
}
