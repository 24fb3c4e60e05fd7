import { isInside, relativeTo } from '../workspace/paths.js'
import { isAllowedPath, isDeniedPath, type PathPattern } from './path-pattern.js'
import { isRuleForTool, type PermissionRule, parsePermissionRule, type RuleSet } from './permission-rule.js'
import { allowed, askAlways, type Verdict } from './verdict.js'

/** Where things are, as far as a judgement needs to know; the gate looks it up on disk. */
export interface PathWorld {
  /** The workspace's real path. */
  readonly root: string
  readonly home: string
  /** Where a path leads; undefined where it cannot be told. */
  locate(path: string): Location | undefined
  isProtected(path: string): boolean
}

export interface Location {
  /** The absolute path as written. */
  readonly written: string
  /** With every link followed. */
  readonly real: string
}

interface PathUse {
  /** The tools whose rules speak of such a use; the first one names the rule that is proposed. */
  readonly tools: readonly string[]
  readonly path: string
}

/** What the rules say of changing a file. Links are followed before a rule may allow, and never hide a denial. */
export function judgePath({ tools, path }: PathUse, rules: RuleSet, world: PathWorld): Verdict {
  const location = world.locate(path)
  if (location === undefined) return askAlways(`${path} cannot be located`)
  const denial = rules.deny.find((rule) => deniesPath(rule, tools, location, world))
  if (denial) return { kind: 'deny', rule: denial.text }
  if (isProtectedLocation(location, world)) return askAlways(protectedReason(path))
  if (rules.allow.some((rule) => allowsPath(rule, tools, location, world))) return allowed
  return askForPath(tools[0] ?? '', location, world)
}

export function protectedReason(path: string): string {
  return `${path} is protected: what it holds takes effect elsewhere`
}

export function isProtectedLocation({ written, real }: Location, world: PathWorld): boolean {
  return world.isProtected(written) || world.isProtected(real)
}

const editingTools = ['Edit', 'MultiEdit', 'Write']

/** Where one editing tool is denied a path, no other one gets there either. */
function deniesPath(
  rule: PermissionRule,
  tools: readonly string[],
  { written, real }: Location,
  world: PathWorld,
): boolean {
  const { target } = rule
  const isMeant = tools.some((tool) => speaksOf(rule, tool))
  if (target.kind === 'anything') return isMeant
  const isRelated = editingTools.includes(rule.tool) && tools.some((tool) => editingTools.includes(tool))
  if (target.kind !== 'path' || !(isMeant || isRelated)) return false
  return [written, real].some((path) => {
    const inside = fromBase(target.pattern, path, world)
    return inside !== undefined && isDeniedPath(target.pattern, inside)
  })
}

function allowsPath(
  rule: PermissionRule,
  tools: readonly string[],
  { real }: Location,
  world: PathWorld,
): boolean {
  const { target } = rule
  if (!tools.some((tool) => speaksOf(rule, tool))) return false
  // Whoever allows a tool means it for the work at hand, not for the whole disk.
  if (target.kind === 'anything') return isInside(world.root, real)
  const inside = target.kind === 'path' ? fromBase(target.pattern, real, world) : undefined
  return target.kind === 'path' && inside !== undefined && isAllowedPath(target.pattern, inside)
}

/** MultiEdit is Edit, several times. */
function speaksOf(rule: PermissionRule, tool: string): boolean {
  return isRuleForTool(rule, tool) || (rule.tool === 'Edit' && tool === 'MultiEdit')
}

function fromBase({ base }: PathPattern, path: string, { root, home }: PathWorld): string | undefined {
  const folder = { workspace: root, home, system: '/' }[base]
  return isInside(folder, path) && path !== folder ? relativeTo(folder, path) : undefined
}

function askForPath(tool: string, { real }: Location, { root }: PathWorld): Verdict {
  const shown = relativeTo(root, real)
  const reason = `no rule allows ${tool} on ${shown}`
  const rule = `${tool}(${shown.startsWith('~') ? './' : ''}${shown})`
  // A name with a wildcard in it would make a rule for other files too.
  const isNarrow = !/[*?{}]/.test(shown) && parsePermissionRule(rule).kind === 'rule'
  return isNarrow ? { kind: 'ask', reason, allowedBy: [rule], isLasting: true } : askAlways(reason, [tool])
}
