import { readRules, storedRuleProblems } from '@mutsumi/host'
import { safeJson, safeLine } from '@mutsumi/schema'
import type { PermissionRule } from '@mutsumi/tools'
import { type HeldRule, openPermissionStore, type PermissionStore, realPathOf } from '@mutsumi/tools/parts'
import type { WorkspaceFlags } from '../flags/options.js'
import { workspaceFolder } from '../place/place.js'
import { Failure, UsageError } from '../terminal/failure.js'
import { printError, printLine } from '../terminal/output.js'
import { say, sayFault, sayWord } from '../words/say.js'

export interface RuleOptions extends WorkspaceFlags {
  readonly everywhere?: boolean
  readonly json?: boolean
}

export interface PermissionsOptions extends WorkspaceFlags {
  readonly json?: boolean
  readonly remove?: string
}

/** `mutsumi allow` and `mutsumi deny`: permanent rules in the user's own config. */
export async function runAddRules(
  decision: HeldRule['decision'],
  texts: readonly string[],
  { C, everywhere, json }: RuleOptions,
): Promise<void> {
  const rules = readRules(`mutsumi ${decision}`, texts)
  if (rules.length === 0)
    throw new UsageError(say`mutsumi ${decision}: the rule is empty, so it does not name a tool`)
  if (everywhere && decision === 'allow') refuseLoose(rules)
  const here = rootOf(C)
  const store = await openPermissionStore()
  const saving = store.add(rules, { decision, root: everywhere ? undefined : here })
  if (saving.kind === 'fault') throw new Failure(saving)
  const scope = everywhere ? 'everywhere' : 'workspace'
  if (json)
    return printLine(safeJson({ decision, rules: rules.map(({ text }) => text), scope, source: store.file }))
  for (const { text } of rules)
    printLine(addedText(decision, safeLine(text), everywhere ? undefined : safeLine(here)))
}

function addedText(decision: HeldRule['decision'], rule: string, folder: string | undefined): string {
  if (folder === undefined)
    return decision === 'allow' ? say`allowed ${rule} everywhere` : say`denied ${rule} everywhere`
  return decision === 'allow' ? say`allowed ${rule} in ${folder}` : say`denied ${rule} in ${folder}`
}

/** A pattern is relative to a workspace. Allowing it everywhere would allow it for any project's files. */
function refuseLoose(rules: readonly PermissionRule[]): void {
  for (const { text, target } of rules)
    if (target.kind === 'path' && target.pattern.base === 'workspace')
      throw new UsageError(
        say`mutsumi allow: ${text} is relative to a workspace, so it cannot be allowed in all of them; leave out --everywhere`,
      )
}

/** `mutsumi permissions`: the rules for a workspace, and where each comes from. */
export async function runPermissions({ C, json, remove }: PermissionsOptions): Promise<void> {
  const root = rootOf(C)
  const store = await openPermissionStore()
  if (remove !== undefined) return removeRule(store, remove, { root, json })
  const held = store.list(root)
  if (held.kind === 'fault') throw new Failure(held)
  const rules = held.rules.map(({ rule, decision, root: place }) => ({
    rule,
    decision,
    scope: place === undefined ? 'everywhere' : 'workspace',
    source: store.file,
  }))
  const problems = storedRuleProblems(store, root)
  if (problems.length > 0) process.exitCode = 1
  if (json)
    return printLine(safeJson({ workspace: root, rules, problems: problems.map(({ message }) => message) }))
  if (rules.length === 0)
    printLine(say`there are no rules for ${safeLine(root)}; mutsumi allow and mutsumi deny add one`)
  for (const { rule, decision, scope } of rules)
    printLine(
      `${sayWord(decision).padEnd(5)} ${safeLine(rule)}  (${sayWord(scope === 'everywhere' ? scope : 'here')}, ${safeLine(store.file)})`,
    )
  for (const problem of problems)
    printError(say`${sayFault(problem)}; no run starts until this rule is corrected or removed`)
}

function removeRule(
  store: PermissionStore,
  rule: string,
  { root, json }: { readonly root: string; readonly json: boolean | undefined },
): void {
  const saving = store.remove(rule, root)
  if (saving.kind === 'fault') throw new Failure(saving)
  printLine(json ? safeJson({ removed: rule, source: store.file }) : say`removed ${safeLine(rule)}`)
}

/** Rules are stored by the real folder, as the gate looks them up. */
function rootOf(folder: string | undefined): string {
  const root = workspaceFolder(folder)
  return realPathOf(root) ?? root
}
