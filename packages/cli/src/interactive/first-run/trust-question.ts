import { decisionOf, readProject } from '@mutsumi/host'
import { doubtOfConfig, openTrustStore, realPathOf } from '@mutsumi/tools/parts'
import { workspaceFolder } from '../../place/place.js'
import type { FirstRunWorld } from './first-run-world.js'

/** A folder whose own settings, servers and skills wait for the user's trust. */
export interface UndecidedTrust {
  /** Asks once. True if the folder is trusted from now on. */
  ask(world: FirstRunWorld): Promise<boolean>
}

/** Finds what waits for the user's trust in a workspace. Most folders have nothing. */
export async function findUndecidedTrust(folder: string | undefined): Promise<UndecidedTrust | undefined> {
  const chosen = workspaceFolder(folder)
  const root = realPathOf(chosen) ?? chosen
  const { allowances } = readProject(root)
  if (allowances.length === 0 || doubtOfConfig(root) !== undefined) return undefined
  const decision = decisionOf(await openTrustStore(), root, allowances)
  if (decision.kind !== 'open') return undefined
  const shown = decision.changes ?? allowances.map((each) => `${each.name}: ${each.shown}`)
  return {
    ask: (world) => ask(world, { root, allowances, shown, isChanged: decision.changes !== undefined }),
  }
}

interface Doubt {
  readonly root: string
  readonly allowances: ReturnType<typeof readProject>['allowances']
  /** The pieces that would take effect, one line each. */
  readonly shown: readonly string[]
  /** The user trusted an earlier state. */
  readonly isChanged: boolean
}

/** The answer is stored as `mutsumi trust` stores it: for exactly what was shown. */
async function ask({ words, say, ask }: FirstRunWorld, doubt: Doubt): Promise<boolean> {
  const { trust } = words.firstRun
  const { root, allowances, shown, isChanged } = doubt
  say([isChanged ? trust.changed : trust.about, ...[...shown, trust.reading].map((line) => `  ${line}`)])
  const answer = await ask.choose({
    title: trust.title(root),
    choices: [
      { label: trust.yes, value: true },
      { label: trust.no, value: false },
    ],
    isNumbered: true,
    isUnexpected: true,
  })
  if (answer === undefined) return false
  const store = await openTrustStore()
  const saving = answer ? store.trust(root, allowances) : store.distrust(root)
  say([saving.kind === 'fault' ? saving.message : answer ? trust.trusted : trust.refused])
  return answer && saving.kind !== 'fault'
}
