import { decisionOf, readProject } from '@mutsumi/host'
import { doubtOfConfig, openTrustStore, realPathOf } from '@mutsumi/tools/parts'
import { workspaceFolder } from '../../place/place.js'
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
  const decision = decisionOf(store, root, allowances)
  if (decision.kind !== 'open') return
  const { words, say } = world
  const { trust } = words.firstRun
  const lines = decision.changes ?? allowances.map(({ name, shown }) => `${name}: ${shown}`)
  say([
    decision.changes ? trust.changed : trust.about,
    ...[...lines, trust.reading].map((line) => `  ${line}`),
  ])
  const answer = await world.ask.choose({
    title: trust.title(root),
    choices: [
      { label: trust.yes, value: true },
      { label: trust.no, value: false },
    ],
    isNumbered: true,
    isUnexpected: true,
  })
  if (answer === undefined) return
  const saving = answer ? store.trust(root, allowances) : store.distrust(root)
  say([saving.kind === 'fault' ? saving.message : answer ? trust.trusted : trust.refused])
}
