import { nearestName, type Phrase, phrase, type WordedPhrase } from '@mutsumi/schema'
import { parseCommandLine } from '../command-line/command-line.js'
import { quoteWord } from '../command-line/shell-word.js'
import { canonicalToolName } from '../contract/tool-aliases.js'
import { type OutcomeCode, outcomeWords } from '../reasons/outcome.js'
import { alternativeLimit } from '../workspace/expand-braces.js'
import { type PathPattern, parsePathPattern } from '../workspace/path-pattern.js'

/** A rule: `Edit`, `Edit(src/**)`, `Bash(npm test:*)`, `Bash(git status)`, `mcp__server__tool`. */
export interface PermissionRule {
  /** As the user wrote it. */
  readonly text: string
  readonly tool: string
  readonly target: RuleTarget
}

export type RuleTarget =
  | { readonly kind: 'anything' }
  | { readonly kind: 'path'; readonly pattern: PathPattern }
  /** A server's tool as it was when the user approved it. */
  | { readonly kind: 'approval'; readonly fingerprint: string }
  | {
      readonly kind: 'command'
      readonly extent: 'exact' | 'prefix'
      readonly assignments: readonly string[]
      readonly words: readonly string[]
    }

export type PathRule = PermissionRule & { readonly target: Extract<RuleTarget, { kind: 'path' }> }

export type ParsedRule =
  | { readonly kind: 'rule'; readonly rule: PermissionRule }
  | ({ readonly kind: 'fault' } & WordedPhrase)

/** The rules of one origin. The user is asked about calls that no rule covers. */
export interface RuleSet {
  readonly allow: readonly PermissionRule[]
  readonly deny: readonly PermissionRule[]
}

/** The tool whose rules cover command lines. */
export const commandTool = 'Bash'

export function parsePermissionRule(text: string): ParsedRule {
  const trimmed = text.trim()
  const found = /^([^()]*)(?:\((.*)\))?$/s.exec(trimmed)
  if (found === null) return fault(text, phrase('rule-unclosed'))
  const [, written = '', inner] = found
  if (!/^[A-Za-z][\w.-]*(?:__\*)?$/.test(written))
    return fault(text, phrase('rule-no-tool', JSON.stringify(written)))
  // A denial of `shell` without effect would be worse than an error.
  const tool = canonicalToolName(written)
  const target = parseTarget(tool, inner)
  return 'code' in target ? fault(text, target) : { kind: 'rule', rule: { text: trimmed, tool, target } }
}

/** `Edit,Bash(git log:*, x)`: commas inside parentheses belong to the rule. */
export function parsePermissionRules(list: string): readonly ParsedRule[] {
  return splitList(list)
    .filter((text) => text.trim() !== '')
    .map(parsePermissionRule)
}

/** The problem with the tool that a rule names; undefined if it is one of these or belongs to an MCP server. */
export function unknownToolIn(
  { text, tool }: PermissionRule,
  tools: readonly string[],
): WordedPhrase | undefined {
  if (tools.includes(tool) || /^mcp__./.test(tool)) return undefined
  const nearest = nearestName(tool, tools)
  const quoted = JSON.stringify(text)
  return nearest
    ? outcomeWords('rule-near-tool', quoted, tool, nearest)
    : outcomeWords('rule-unknown-tool', quoted, tool, tools.join(', '))
}

/** The rule that allows exactly this command, and nothing else. */
export function exactCommandRule(words: readonly string[]): string {
  return `${commandTool}(${words.map(quoteWord).join(' ')})`
}

/** The rule that allows commands that begin with these words, if their arguments are known to be plain. */
export function prefixCommandRule(words: readonly string[]): string {
  return `${commandTool}(${words.map(quoteWord).join(' ')}:*)`
}

/** `mcp__server` and `mcp__server__*` cover all tools of a server. */
export function isRuleForTool({ tool }: PermissionRule, name: string): boolean {
  if (tool === name) return true
  if (!/^mcp__/.test(tool)) return false
  const server = tool.replace(/__\*$/, '')
  return /^mcp__(?:(?!__).)+$/.test(server) && name.startsWith(`${server}__`)
}

/** The rule that allows a server's tool for as long as neither the server nor the tool changes. */
export function approvedToolRule(name: string, approval: string): string {
  return `${name}(#${approval.slice(0, 16)})`
}

function parseApproval(inner: string): RuleTarget | RuleProblem {
  const fingerprint = /^#([0-9a-f]{16,64})$/.exec(inner)?.[1]
  return fingerprint === undefined ? phrase('rule-fingerprint') : { kind: 'approval', fingerprint }
}

function parseTarget(tool: string, inner: string | undefined): RuleTarget | RuleProblem {
  if (tool.includes('*') && !/^mcp__(?:(?!__).)+__\*$/.test(tool)) return phrase('rule-star')
  if (inner === undefined) return { kind: 'anything' }
  if (inner.trim() === '') return phrase('rule-empty')
  if (tool.startsWith('mcp__')) return parseApproval(inner.trim())
  return tool === commandTool ? parseCommandTarget(inner.trim()) : parsePathTarget(inner)
}

function parsePathTarget(inner: string): RuleTarget | RuleProblem {
  const pattern = parsePathPattern(inner)
  if (typeof pattern !== 'string') return { kind: 'path', pattern }
  return phrase(pattern, ...(pattern === 'rule-many-alternatives' ? [alternativeLimit] : []))
}

function parseCommandTarget(inner: string): RuleTarget | RuleProblem {
  if (inner === '*') return { kind: 'anything' }
  const extent = inner.endsWith(':*') ? 'prefix' : 'exact'
  const line = parseCommandLine(extent === 'prefix' ? inner.slice(0, -2) : inner)
  if (line.kind === 'unparsed') return phrase('rule-command-unparsed', line.reason)
  const [command, ...others] = line.commands
  if (command === undefined || others.length > 0) return phrase('rule-many-commands')
  if (command.redirections.length > 0) return phrase('rule-redirection')
  if (command.words.length === 0) return phrase('rule-no-command')
  const parts = [...command.assignments, ...command.words]
  if (parts.some((word) => word.certainty !== 'literal')) return phrase('rule-not-literal')
  return {
    kind: 'command',
    extent,
    assignments: command.assignments.map((word) => word.text),
    words: command.words.map((word) => word.text),
  }
}

function splitList(list: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < list.length; at++) {
    if (list[at] === '(') depth++
    else if (list[at] === ')') depth--
    // Quoted text between parentheses is a word of a command, including commas and parentheses.
    else if (list[at] === "'" && depth > 0) at = endOfQuotes(list, at)
    else if (list[at] === ',' && depth === 0) {
      parts.push(list.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, list.slice(start)]
}

/** A quote without a closing one is an apostrophe. */
function endOfQuotes(text: string, start: number): number {
  const end = text.indexOf("'", start + 1)
  return end === -1 ? start : end
}

/** The faults of a rule. */
type RuleProblem = Phrase & { readonly code: OutcomeCode }

function fault(text: string, why: RuleProblem): ParsedRule {
  return { kind: 'fault', ...outcomeWords('rule-invalid', JSON.stringify(text), why) }
}
