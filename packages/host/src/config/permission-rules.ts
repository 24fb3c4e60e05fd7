import { nearestName, safeLine, type WordedMessage } from '@mutsumi/schema'
import { builtInTools, type PermissionRule, parsePermissionRules } from '@mutsumi/tools'
import { type PermissionStore, unknownToolIn } from '@mutsumi/tools/parts'
import { UsageError } from '../ground/failure.js'
import { aboutPlace, failureWords } from '../ground/failure-words.js'
import { failureOf } from './settings.js'

/** The tools that a rule can name, besides those of servers. */
function toolNames(): readonly string[] {
  return [...builtInTools().map(({ name }) => name), 'Task']
}

/** Reads the user's rules from `source`, which is a flag or a file. A rule for an unknown tool is an error. */
export function readRules(source: string, lists: readonly string[]): readonly PermissionRule[] {
  return lists.flatMap(parsePermissionRules).map((parsed) => {
    if (parsed.kind === 'fault') throw new UsageError(aboutPlace(source, parsed))
    const problem = unknownToolIn(parsed.rule, toolNames())
    if (problem !== undefined) throw new UsageError(aboutPlace(source, problem))
    return parsed.rule
  })
}

/** Warns about a rule for a tool that its server does not have. Servers that are not connected are skipped. */
export function unknownServerTool(
  flag: string,
  { tool, text }: PermissionRule,
  names: readonly string[],
): readonly WordedMessage[] {
  const [, server] = /^(mcp__(?:(?!__).)+__)(?!\*$)./.exec(tool) ?? []
  if (server === undefined || names.includes(tool)) return []
  const offered = names.filter((name) => name.startsWith(server))
  if (offered.length === 0) return []
  const nearest = nearestName(tool, offered)
  return [
    nearest === undefined
      ? failureWords('no-such-server-tool', `${flag} ${safeLine(text)}`, offered.join(', '))
      : failureWords('near-server-tool', `${flag} ${safeLine(text)}`, nearest),
  ]
}

/** The problems of the stored rules that apply in a workspace. Any of them stops a run before it starts. */
export function storedRuleProblems(store: PermissionStore, root: string): readonly WordedMessage[] {
  const held = store.list(root)
  if (held.kind === 'fault') return [held]
  const wrong = held.rules.flatMap(({ rule }) => failureOf(() => readRules(store.file, [rule])) ?? [])
  if (wrong.length > 0) return wrong
  const loaded = store.load(root)
  return loaded.kind === 'fault' ? [loaded] : []
}
