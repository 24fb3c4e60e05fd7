import type { PermissionRequest } from '../contract/tool-runner.js'
import { because } from '../reasons/reason.js'
import { judgeCommandLine } from './judge-command.js'
import { judgePath, judgeReading, type PathWorld } from './judge-path.js'
import { approvedToolRule, isRuleForTool, type PermissionRule, type RuleSet } from './permission-rule.js'
import { judgeOtherNames } from './read-denials.js'
import { allowed, combine, type Verdict } from './verdict.js'

/** The rules' verdict on a call: a denial beats an allowance, and the user is asked if no rule allows it. */
export function judgeRequest(request: PermissionRequest, rules: RuleSet, world: PathWorld): Verdict {
  const { call, effect, touched } = request
  const denial = rules.deny.find((rule) => rule.target.kind === 'anything' && isRuleForTool(rule, call.name))
  if (denial) return { kind: 'deny', rule: denial.text }
  if (effect === 'read') return judgeLook(request, rules, world)
  if (touched.command !== undefined) {
    return judgeCommandLine(
      {
        tool: call.name,
        line: touched.command,
        folder: folderOf(request),
        confined: touched.confined ?? true,
      },
      rules,
      world,
    )
  }
  const paths = touched.paths ?? []
  if (paths.length > 0)
    return combine(paths.map((path) => judgePath({ tools: [call.name], path }, rules, world)))
  return judgeTool(call.name, rules, touched.approval)
}

/** There are many reads and few denials of paths. Without such a denial nothing is looked up on disk. */
function judgeLook({ call, touched }: PermissionRequest, rules: RuleSet, world: PathWorld): Verdict {
  if (!rules.deny.some(({ target }) => target.kind === 'path')) return allowed
  const isFolder = call.name !== 'Read'
  return combine(
    (touched.paths ?? []).flatMap((path) => [
      judgeReading({ tool: call.name, path, isFolder }, rules, world),
      call.name === 'Read' || call.name === 'Grep' ? judgeOtherNames(path, rules, world) : allowed,
    ]),
  )
}

/**
 * A tool that names no path or command can only be allowed as a whole. An approval of a server's tool covers the tool
 * as it is now: if its server or its schema changes, the approval is no longer valid.
 */
function judgeTool(name: string, rules: RuleSet, approval: string | undefined): Verdict {
  const isAllowed = rules.allow.some((rule) => isRuleForTool(rule, name) && covers(rule, approval))
  if (isAllowed) return allowed
  const allowedBy = [approval === undefined ? name : approvedToolRule(name, approval)]
  return { kind: 'ask', reason: because('no-rule', name), allowedBy, lasting: [allowedBy] }
}

function covers({ target }: PermissionRule, approval: string | undefined): boolean {
  if (target.kind === 'approval') return approval?.startsWith(target.fingerprint) ?? false
  return target.kind === 'anything'
}

/** The folder that a command would run in: the path in its request, else its `directory`. */
function folderOf({ call, touched }: PermissionRequest): string {
  const { directory } = call.args
  return touched.paths?.[0] ?? (typeof directory === 'string' ? directory : '.')
}
