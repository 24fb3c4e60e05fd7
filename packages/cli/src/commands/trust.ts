import { existsSync } from 'node:fs'
import { readProject } from '@mutsumi/host'
import { safeJson, safeLine } from '@mutsumi/schema'
import { type Allowance, openTrustStore, realPathOf, type TrustedFolder } from '@mutsumi/tools/parts'
import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { Failure, UsageError } from '../terminal/failure.js'
import { printLine } from '../terminal/output.js'
import { say } from '../words/say.js'

type OpenedTrust = Awaited<ReturnType<typeof openTrustStore>>

export interface TrustOptions extends WorkspaceFlags {
  readonly remove?: boolean
  readonly list?: boolean
  readonly json?: boolean
}

/**
 * `mutsumi trust`: the user trusts a workspace, or withdraws trust. Stored in the user's config, never in the project.
 */
export async function runTrust(options: TrustOptions): Promise<void> {
  if (options.list && options.remove) throw new UsageError(say`--list and --remove exclude each other`)
  if (options.list) return listTrusted(options)
  const folder = workspaceFolder(options.C)
  const root = realPathOf(folder) ?? folder
  return options.remove ? distrust(root, options) : trust(root, options)
}

async function trust(root: string, { json }: TrustOptions): Promise<void> {
  const { allowances } = readProject(root)
  const saving = (await openTrustStore()).trust(root, allowances)
  if (saving.kind === 'fault') throw new Failure(saving)
  const allows = allowances.map(({ name, shown }) => ({ name, shown }))
  if (json) return printLine(safeJson({ folder: root, trust: 'trusted', allows }))
  printLine(say`${safeLine(root)} is trusted. These take effect from now on, in their current form:`)
  for (const line of describe(allowances)) printLine(`  ${line}`)
}

function describe(allowances: readonly Allowance[]): readonly string[] {
  return [
    ...allowances.map(({ name, shown }) => `${name}: ${shown}`),
    say`its rules and documents may call read-only tools`,
  ]
}

async function distrust(root: string, { json }: TrustOptions): Promise<void> {
  const saving = (await openTrustStore()).distrust(root)
  if (saving.kind === 'fault') throw new Failure(saving)
  printLine(
    json ? safeJson({ folder: root, trust: 'distrusted' }) : say`${safeLine(root)} is no longer trusted`,
  )
}

async function listTrusted({ json }: TrustOptions): Promise<void> {
  const store = await openTrustStore()
  const list = store.list()
  if (list.kind === 'fault') throw new Failure(list)
  const folders = list.folders.map((folder) => asItIsNow(folder, store))
  if (json) return printLine(safeJson({ folders }))
  if (folders.length === 0) printLine(say`no folder is trusted; mutsumi trust -C DIR trusts one`)
  for (const folder of folders) printLine(describeFolder(folder))
}

/** A folder that the user has decided about. One that changed since counts as untrusted. */
type ListedFolder =
  | TrustedFolder
  | (Omit<TrustedFolder, 'trust'> & { readonly trust: 'changed'; readonly changes: readonly string[] })

function asItIsNow(listed: TrustedFolder, store: OpenedTrust): ListedFolder {
  if (listed.trust !== 'trusted' || !existsSync(listed.folder)) return listed
  const trust = store.check(listed.folder, readProject(listed.folder).allowances)
  return trust.kind === 'changed' ? { ...listed, trust: 'changed', changes: trust.changes } : listed
}

function describeFolder(listed: ListedFolder): string {
  const { folder, trust, allows } = listed
  if (trust === 'changed')
    return say`changed    ${safeLine(folder)} (${listed.changes.map(safeLine).join('; ')}): it counts as untrusted`
  const about = {
    trusted: allows.length === 0 ? '' : ` (${allows.map(safeLine).join(', ')})`,
    unbound: say` (by an older version: trust it again)`,
    distrusted: '',
  }
  return `${trust === 'distrusted' ? say`distrusted` : say`trusted   `} ${safeLine(folder)}${about[trust]}`
}
