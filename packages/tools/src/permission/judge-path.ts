import { isSteering } from '../protected/steering-names.js'
import { because, type Reason } from '../reasons/reason.js'
import { foldCase } from '../workspace/fold-case.js'
import { couldDenyBelow, isAllowedPath, isDeniedPath, type PathPattern } from '../workspace/path-pattern.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import type { FolderEntry } from '../workspace/read-folder.js'
import { isRuleForTool, type PermissionRule, parsePermissionRule, type RuleSet } from './permission-rule.js'
import { allowed, askAlways, type Verdict } from './verdict.js'

/** The facts about paths that a judgement needs. The gate looks them up on disk. */
export interface PathWorld {
  /** The real paths of the folders that the user opened, the workspace's own first. */
  readonly roots: readonly string[]
  readonly home: string
  /** The real target of a path, relative to the workspace's folder; undefined if it is unknown. */
  locate(path: string): Location | undefined
  isProtected(path: string): boolean
  /** The entries of a real folder; empty if it cannot be listed. */
  entriesOf(folder: string): readonly FolderEntry[]
  /** Which file a real path is, whatever its name, and how many names it has; undefined if it is not a file. */
  identityOf(path: string): { readonly key: string; readonly names: number } | undefined
  /** Whether the session may use a real path. */
  isOpened(path: string): boolean
  /** Whether git, run in a real folder, certainly starts no other program to read its repository. */
  isQuietRepository(folder: string): boolean
  /** Whether a search of a real folder opens what must not be read without asking, or finds too much to know. */
  holdsGuarded(folder: string): boolean
}

export interface Location {
  /** The absolute path as written. */
  readonly written: string
  /** With every link followed. */
  readonly real: string
}

interface PathUse {
  /** The tools whose rules cover such a use. The first one is used in the proposed rule. */
  readonly tools: readonly string[]
  readonly path: string
}

/** The rules' verdict on changing a file. Links are followed before a rule may allow, and never hide a denial. */
export function judgePath({ tools, path }: PathUse, rules: RuleSet, world: PathWorld): Verdict {
  const location = world.locate(path)
  if (location === undefined) return askAlways(because('not-located', path))
  const denial = rules.deny.find((rule) => deniesPath(rule, tools, location, world))
  if (denial) return { kind: 'deny', rule: denial.text }
  if (isProtectedLocation(location, world)) return askAlways(protectedReason(path))
  const steers = isSteeringLocation(location, world)
  const covering = rules.allow.filter((rule) => allowsPath(rule, tools, location, world))
  if (covering.some((rule) => !steers || namesFile(rule, location))) return allowed
  return askForPath(tools[0] ?? '', location, world, steers)
}

/** A file that guides later sessions, or the target of a link with such a name. */
export function isSteeringLocation({ written, real }: Location, world: PathWorld): boolean {
  if (isSteering(written) || isSteering(real)) return true
  const links = world.roots.flatMap((root) =>
    world
      .entriesOf(root)
      .flatMap(({ name, kind }) => (kind === 'link' && isSteering(name) ? [`${root}/${name}`] : [])),
  )
  return links.some((link) => world.locate(link)?.real === real)
}

/** The last name of the rule has no wildcard: `Edit(docs/AGENTS.md)`, not `Edit(docs/*)`. */
function namesFile({ target }: PermissionRule, { written, real }: Location): boolean {
  if (target.kind !== 'path') return false
  const names = [written, real].map((path) => path.slice(path.lastIndexOf('/') + 1))
  return target.pattern.alternatives.some((steps) => names.includes(steps.at(-1) ?? ''))
}

/** The rules' verdict on reading. Reading needs no rule, but a rule can deny it. Folders are listed or searched. */
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

export function protectedReason(path: string): Reason {
  return because('protected', path)
}

export function isProtectedLocation({ written, real }: Location, world: PathWorld): boolean {
  return world.isProtected(written) || world.isProtected(real)
}

export const readingTools: readonly string[] = ['Read', 'Grep', 'Glob', 'LS']

/** If a path is denied to one of them, it is denied to all of the same kind. */
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

/** Whether a denial covers a folder that is listed or searched: everything in it or, for a search, a part of it. */
function deniesFolder(rule: PermissionRule, tool: string, location: Location, world: PathWorld): boolean {
  const { target } = rule
  if (target.kind !== 'path' || !isRelated(rule, [tool])) return false
  // Grep reads the files it finds; Glob only returns their names.
  const isSearched = rule.tool === tool ? tool !== 'LS' : tool === 'Grep' && rule.tool === 'Read'
  return insidesOf(target.pattern, location, world, true).some((inside) =>
    isSearched ? couldDenyBelow(target.pattern, inside) : isDeniedPath(target.pattern, `${inside}${anyName}`),
  )
}

/** A name that no pattern contains. */
const anyName = '\u0001'

function isRelated(rule: PermissionRule, tools: readonly string[]): boolean {
  return kinds.some((kind) => kind.includes(rule.tool) && tools.some((tool) => kind.includes(tool)))
}

/**
 * The paths relative to the pattern's base. Letter case is folded, so that another spelling of the root cannot hide a
 * file on a case-insensitive file system.
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
      // A search that begins above the base covers all of it.
      if (asFolder && isInside(inner, folder)) return ['']
      return below(folder, inner).map((inside) => `${inside}${suffix}`)
    }),
  )
}

export function allowsPath(
  rule: PermissionRule,
  tools: readonly string[],
  { real }: Location,
  world: PathWorld,
): boolean {
  const { target } = rule
  if (!tools.some((tool) => speaksOf(rule, tool))) return false
  // A rule for a tool covers the opened folders, not the whole disk.
  if (target.kind === 'anything') return world.roots.some((root) => isInside(root, real))
  if (target.kind !== 'path') return false
  const { pattern } = target
  return basesOf(pattern, world)
    .flatMap((base) => below(base, real))
    .some((inside) => isAllowedPath(pattern, inside))
}

/** A rule for Edit covers every change of a file: MultiEdit is several Edits, Write is a large one. */
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

/** The path relative to a folder that contains it; undefined if it does not. */
function below(folder: string, path: string): string[] {
  return isInside(folder, path) && path !== folder ? [relativeTo(folder, path)] : []
}

function askForPath(tool: string, { real }: Location, { roots }: PathWorld, steers: boolean): Verdict {
  // For another opened folder, the whole path, because the same name elsewhere is another file.
  const shown = relativeTo(roots[0] ?? '/', real)
  const reason = steers ? because('steers-later', shown) : because('no-rule-on-path', tool, shown)
  const written = `${shown.startsWith('~') ? './' : ''}${shown}`
  const rule = `${tool}(${written})`
  // A file name with a wildcard would make a rule that covers other files too.
  const isNarrow = !/[*?{}]/.test(shown) && parsePermissionRule(rule).kind === 'rule'
  if (!isNarrow) return askAlways(reason, steers ? [] : [tool])
  if (steers) return { kind: 'ask', reason, allowedBy: [rule], lasting: [[rule]] }
  const folder = shown.lastIndexOf('/') > 0 ? [[`${tool}(${written.replace(/[^/]*$/, '**')})`]] : []
  return { kind: 'ask', reason, allowedBy: [rule], lasting: [[rule], ...folder, [tool]] }
}
