import { foldCase } from '../workspace/fold-case.js'
import { couldDenyBelow, isAllowedPath, isDeniedPath, type PathPattern } from '../workspace/path-pattern.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { isRuleForTool, type PermissionRule, parsePermissionRule, type RuleSet } from './permission-rule.js'
import { allowed, askAlways, type Verdict } from './verdict.js'

/** Where things are, as far as a judgement needs to know; the gate looks it up on disk. */
export interface PathWorld {
  /** The real paths of the folders that the user opened, the workspace's own first. */
  readonly roots: readonly string[]
  readonly home: string
  /** Where a path leads, from the workspace's own folder on; undefined where it cannot be told. */
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

/** What the rules say of reading: it needs none, but one can deny it. Folders are listed or searched. */
export function judgeReading(
  { tool, path, isFolder }: { readonly tool: string; readonly path: string; readonly isFolder: boolean },
  rules: RuleSet,
  world: PathWorld,
): Verdict {
  const location = world.locate(path)
  if (location === undefined) return allowed // The tool will find nothing there either.
  const denial = rules.deny.find(
    (rule) =>
      deniesPath(rule, [tool], location, world) || (isFolder && deniesFolder(rule, tool, location, world)),
  )
  return denial ? { kind: 'deny', rule: denial.text } : allowed
}

export function protectedReason(path: string): string {
  return `${path} is protected: what it holds takes effect elsewhere`
}

export function isProtectedLocation({ written, real }: Location, world: PathWorld): boolean {
  return world.isProtected(written) || world.isProtected(real)
}

export const readingTools: readonly string[] = ['Read', 'Grep', 'Glob', 'LS']

/** Where one of them is denied a path, none of its kind gets there. */
const kinds: readonly (readonly string[])[] = [['Edit', 'MultiEdit', 'Write'], readingTools]

export function deniesPath(
  rule: PermissionRule,
  tools: readonly string[],
  location: Location,
  world: PathWorld,
): boolean {
  const { target } = rule
  const isMeant = tools.some((tool) => speaksOf(rule, tool))
  if (target.kind === 'anything') return isMeant
  if (target.kind !== 'path' || !(isMeant || isRelated(rule, tools))) return false
  return insidesOf(target.pattern, location, world).some((inside) => isDeniedPath(target.pattern, inside))
}

/** Whether a denial means a folder that is listed or searched: all that lies in it, or, for a search, some of it. */
function deniesFolder(rule: PermissionRule, tool: string, location: Location, world: PathWorld): boolean {
  const { target } = rule
  if (target.kind !== 'path' || !isRelated(rule, [tool])) return false
  // What Grep finds is read; of what Glob finds only the names are told.
  const isSearched = rule.tool === tool ? tool !== 'LS' : tool === 'Grep' && rule.tool === 'Read'
  return insidesOf(target.pattern, location, world, true).some((inside) =>
    isSearched ? couldDenyBelow(target.pattern, inside) : isDeniedPath(target.pattern, `${inside}${anyName}`),
  )
}

/** A name that no pattern means by itself. */
const anyName = '\u0001'

function isRelated(rule: PermissionRule, tools: readonly string[]): boolean {
  return kinds.some((kind) => kind.includes(rule.tool) && tools.some((tool) => kind.includes(tool)))
}

/**
 * The paths as seen from the pattern's base. Folded: where the file system makes no difference, another spelling of
 * the root must not hide a file.
 */
function insidesOf(
  pattern: PathPattern,
  { written, real }: Location,
  world: PathWorld,
  asFolder = false,
): string[] {
  const suffix = asFolder ? '/' : ''
  return [...new Set([written, real])].flatMap((path) =>
    basesOf(pattern, world).flatMap((base) => {
      const [folder, inner] = [foldCase(base), foldCase(path)]
      if (asFolder && folder === inner) return ['']
      // A search from above the base goes through all of it.
      if (asFolder && isInside(inner, folder)) return ['']
      return below(folder, inner).map((inside) => `${inside}${suffix}`)
    }),
  )
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
  if (target.kind === 'anything') return world.roots.some((root) => isInside(root, real))
  if (target.kind !== 'path') return false
  const { pattern } = target
  return basesOf(pattern, world)
    .flatMap((base) => below(base, real))
    .some((inside) => isAllowedPath(pattern, inside))
}

/** Whoever speaks of Edit means every change of a file: MultiEdit is Edit several times, Write a large one. */
function speaksOf(rule: PermissionRule, tool: string): boolean {
  return isRuleForTool(rule, tool) || (rule.tool === 'Edit' && (tool === 'MultiEdit' || tool === 'Write'))
}

/** The folders that a pattern starts from. */
export function basesOf(
  { base }: PathPattern,
  { roots, home }: Pick<PathWorld, 'roots' | 'home'>,
): readonly string[] {
  return { workspace: roots, home: [home], system: ['/'] }[base]
}

/** The path as seen from a folder that it lies in; nothing where it does not. */
function below(folder: string, path: string): string[] {
  return isInside(folder, path) && path !== folder ? [relativeTo(folder, path)] : []
}

function askForPath(tool: string, { real }: Location, { roots }: PathWorld): Verdict {
  // In a further folder the whole path: the same name in another one is another file.
  const shown = relativeTo(roots[0] ?? '/', real)
  const reason = `no rule allows ${tool} on ${shown}`
  const written = `${shown.startsWith('~') ? './' : ''}${shown}`
  const rule = `${tool}(${written})`
  // A name with a wildcard in it would make a rule for other files too.
  const isNarrow = !/[*?{}]/.test(shown) && parsePermissionRule(rule).kind === 'rule'
  if (!isNarrow) return askAlways(reason, [tool])
  const folder = shown.lastIndexOf('/') > 0 ? [[`${tool}(${written.replace(/[^/]*$/, '**')})`]] : []
  return { kind: 'ask', reason, allowedBy: [rule], lasting: [[rule], ...folder, [tool]] }
}
