import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Warning } from '@mutsumi/schema'
import { PermissionGate, type RuleSet } from '@mutsumi/tools'
import { openPermissionStore, type PermissionStore, realPathOf, userConfigFolder } from '@mutsumi/tools/parts'
import { readRules, storedRuleProblems, unknownServerTool } from '../config/permission-rules.js'
import { UsageError } from '../ground/failure.js'
import type { Gate, GatePlace, RuleFlags } from './toolbox.js'

/** The gate of a run, with the rules of its flags and the user's stored rules. */
export async function openGate(
  { root, folders, ask, allowed, mode, note }: GatePlace,
  flags: RuleFlags,
): Promise<Gate> {
  const rules = { allow: readRules('--allow', flags.allow), deny: readRules('--deny', flags.deny) }
  // A user who is asked may answer "always", which is stored.
  const hasStore = ask !== undefined || existsSync(join(userConfigFolder(), 'permissions.json'))
  const store = hasStore ? { store: await openCheckedStore(root) } : {}
  const place = { root, roots: folders, rules: [rules], onWarning: note }
  const session = { ...(ask && { ask }), ...(allowed && { allowed }), ...(mode && { mode }) }
  const gate = new PermissionGate({ ...place, ...store, ...session })
  return {
    permit: gate.permit,
    permitLeft: gate.permitLeft,
    unknownTools: (offered) => unknownTools(rules, offered),
    sessionRules: () => gate.sessionRules,
    judgeOpenQuestion: () => gate.judgeOpenQuestion(),
    forget: (rule) => gate.forget(rule),
    get mode() {
      return gate.mode
    },
    set mode(chosen) {
      gate.mode = chosen
    },
  }
}

/** A rule with a typing error is reported at the start, not when it would be needed. */
async function openCheckedStore(root: string): Promise<PermissionStore> {
  const store = await openPermissionStore()
  const [problem] = storedRuleProblems(store, realPathOf(root) ?? root)
  if (problem !== undefined) throw new UsageError(problem)
  return store
}

function unknownTools({ allow, deny }: RuleSet, offered: readonly string[]): readonly Warning[] {
  const warningsOf = (flag: string, rules: RuleSet['allow']) =>
    rules
      .flatMap((rule) => unknownServerTool(flag, rule, offered))
      .map(({ message, phrase }) => ({
        ...{ code: 'unknown-tool', message, source: 'command line' },
        ...(phrase && { phrase }),
      }))
  return [...warningsOf('--allow', allow), ...warningsOf('--deny', deny)]
}
