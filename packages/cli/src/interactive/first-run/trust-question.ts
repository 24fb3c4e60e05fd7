import {
  type Allowance,
  doubtOfConfig,
  openTrustStore,
  realPathOf,
  type TrustStore,
} from '@mutsumi/tools/parts'
import { workspaceFolder } from '../../place/place.js'
import { readProject } from '../../place/trust.js'
import type { FirstRunWorld } from './first-run-world.js'

/**
 * Asks once whether the config files of a workspace may take effect. The answer is needed before any of them is applied.
 * It is stored as `mutsumi trust` stores it.
 */
export async function askForTrust(folder: string | undefined, world: FirstRunWorld): Promise<void> {
  const chosen = workspaceFolder(folder)
  const root = realPathOf(chosen) ?? chosen
  const { allowances } = readProject(root)
  // Most folders have nothing to trust.
  if (allowances.length === 0 || doubtOfConfig(root) !== undefined) return
  const store = await openTrustStore()
  const doubt = doubtOf(store, root, allowances)
  if (doubt === undefined) return
  const { words, say } = world
  const { trust } = words.firstRun
  const lines = doubt.changes ?? allowances.map(({ name, shown }) => `${name}: ${shown}`)
  say([doubt.changes ? trust.changed : trust.about, ...[...lines, trust.reading].map((line) => `  ${line}`)])
  const answer = await world.ask.choose({
    title: trust.title(root),
    choices: [
      { label: trust.yes, value: true },
      { label: trust.no, value: false },
    ],
    isNumbered: true,
    isUnexpected: 'waits',
  })
  if (answer === undefined) return
  const saving = answer ? store.trust(root, allowances) : store.distrust(root)
  say([saving.kind === 'fault' ? saving.message : answer ? trust.trusted : trust.refused])
}

/** Undefined if the user has decided and the decision is still valid. */
function doubtOf(
  store: TrustStore,
  root: string,
  now: readonly Allowance[],
): { readonly changes?: readonly string[] } | undefined {
  const trust = store.check(root, now)
  switch (trust.kind) {
    case 'changed':
      return { changes: trust.changes }
    case 'unbound':
      return {}
    case 'untrusted':
      return isRefused(store, root) ? undefined : {}
    case 'trusted':
    case 'fault':
      return undefined
    default:
      return trust satisfies never
  }
}

function isRefused(store: TrustStore, root: string): boolean {
  const list = store.list()
  if (list.kind === 'fault') return true
  return list.folders.some(
    ({ folder, trust }) => trust === 'distrusted' && (folder === root || root.startsWith(`${folder}/`)),
  )
}
