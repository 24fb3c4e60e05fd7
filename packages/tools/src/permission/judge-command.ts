import { dangerOf } from './command-dangers.js'
import { parseCommandLine, type Redirection, type SimpleCommand } from './command-line.js'
import { isProtectedLocation, judgePath, type PathWorld, protectedReason } from './judge-path.js'
import { allowsCommand, deniesCommand } from './match-command.js'
import {
  commandTool,
  exactCommandRule,
  isRuleForTool,
  type PermissionRule,
  parsePermissionRule,
  type RuleSet,
} from './permission-rule.js'
import { couldMeanProtected, mentionsProtected } from './protected-paths.js'
import { quoteWord, type ShellWord } from './shell-word.js'
import { allowed, askAlways, combine, type Verdict } from './verdict.js'

interface CommandUse {
  readonly tool: string
  readonly line: string
  /** The folder it would run in. */
  readonly folder: string
}

/** What the rules say of a command line: it is allowed only where every part of it is. */
export function judgeCommandLine(
  { tool, line, folder }: CommandUse,
  rules: RuleSet,
  world: PathWorld,
): Verdict {
  const place = world.locate(folder)
  if (place === undefined) return askAlways(`${folder} cannot be located`)
  const speaking = (rule: PermissionRule) => isRuleForTool(rule, tool)
  const judge: Judge = {
    tool,
    rules,
    world,
    folder: place.real,
    isOpen: rules.allow.some((rule) => speaking(rule) && rule.target.kind === 'anything'),
    allow: rules.allow.filter(speaking),
    deny: rules.deny.filter((rule) => speaking(rule) && rule.target.kind === 'command'),
  }
  const parsed = parseCommandLine(line)
  if (parsed.kind === 'unparsed') return judgeUnparsed(line, parsed.reason, judge)
  if (parsed.commands.length === 0) return askAlways('the command line is empty', [tool])
  const hasMoved = parsed.commands.some(({ words }) => movers.has(words[0]?.text ?? ''))
  return combine([
    judgeFolder(folder, judge),
    ...parsed.commands.flatMap((command) => [
      judgeCommand(command, judge),
      ...command.redirections.map((redirection) => judgeRedirection(redirection, hasMoved, judge)),
    ]),
  ])
}

interface Judge {
  readonly tool: string
  readonly rules: RuleSet
  readonly world: PathWorld
  /** The real folder it would run in. */
  readonly folder: string
  /** The user allowed any command at all. */
  readonly isOpen: boolean
  readonly allow: readonly PermissionRule[]
  /** Denials of single commands. */
  readonly deny: readonly PermissionRule[]
}

const movers = new Set(['cd', 'pushd', 'popd', 'command', 'builtin'])

/** Whoever allows every command allows those that nobody can read, unless some are denied and may hide there. */
function judgeUnparsed(line: string, reason: string, { tool, isOpen, deny }: Judge): Verdict {
  const isGuarded = mentionsProtected(line)
  if (isOpen && deny.length === 0 && !isGuarded) return allowed
  const why = `the command line cannot be judged: ${reason}`
  return askAlways(isGuarded ? `${why}, and it names something protected` : why, isOpen ? [] : [tool])
}

/** A folder below may be a repository of its own, whose config runs commands: `git status` is not the same there. */
function judgeFolder(folder: string, { tool, isOpen, world }: Judge): Verdict {
  if (isOpen || world.roots.includes(world.locate(folder)?.real ?? '')) return allowed
  return askAlways(`the command would run in ${folder}, not in a folder that the user opened`, [tool])
}

function judgeCommand(command: SimpleCommand, judge: Judge): Verdict {
  const { tool, isOpen, allow, deny } = judge
  const denials = deny.map((rule) => ({ rule, match: deniesCommand(rule, command) }))
  const denial = denials.find(({ match }) => match === 'yes')
  if (denial) return { kind: 'deny', rule: denial.rule.text }
  const doubt = denials.find(({ match }) => match === 'maybe')
  if (doubt) return askAlways(`the rule ${doubt.rule.text} may deny it`)
  const guarded = command.words.find((word) => namesProtected(word, judge))
  if (guarded) return askAlways(protectedReason(guarded.text))
  const climbing = isOpen ? undefined : command.words.find(({ text }) => climbsBack(text))
  if (climbing) return askAlways(`it is not known where ${climbing.text} leads`, [tool])
  if (command.words.length + command.assignments.length === 0) return allowed
  const danger = dangerOf(command)
  if (isOpen && (danger === undefined || deny.length === 0)) return allowed
  if (allow.some((rule) => allowsCommand(rule, command))) return allowed
  return askForCommand(command, danger, tool)
}

function askForCommand(
  { assignments, words }: SimpleCommand,
  danger: string | undefined,
  tool: string,
): Verdict {
  const parts = [...assignments, ...words]
  const texts = parts.map((word) => word.text)
  const reason = danger ?? `no rule allows ${texts.map(quoteWord).join(' ')}`
  // Only the rules of the one tool speak of commands.
  if (tool !== commandTool || parts.some((word) => word.certainty !== 'literal'))
    return askAlways(reason, [tool])
  const rule = exactCommandRule(texts)
  // Assignments without a command cannot be written as a rule.
  if (parsePermissionRule(rule).kind === 'fault') return askAlways(reason, [tool])
  return { kind: 'ask', reason, allowedBy: [rule], isLasting: true }
}

/** A redirection that writes is a Write; bash itself makes connections of /dev/tcp and /dev/udp. */
function judgeRedirection({ effect, target }: Redirection, hasMoved: boolean, judge: Judge): Verdict {
  const { tool, isOpen } = judge
  const { text, certainty } = target
  if (effect === 'none' || (certainty === 'literal' && text === '/dev/null')) return allowed
  if (certainty !== 'literal' && namesProtected(target, judge)) return askAlways(protectedReason(text))
  if (certainty !== 'literal' || /^\/dev\/(?:tcp|udp)\//.test(text)) {
    return isOpen ? allowed : askAlways(`it is not known where the redirection to ${text} leads`, [tool])
  }
  return effect === 'read' ? allowed : judgeWriting(text, hasMoved, judge)
}

function judgeWriting(target: string, hasMoved: boolean, judge: Judge): Verdict {
  const { tool, isOpen, rules, world } = judge
  const path = toPath(target, judge)
  const verdict = judgePath({ tools: ['Write', 'Edit'], path }, rules, world)
  const isFinal = verdict.kind === 'deny' || (verdict.kind === 'ask' && verdict.allowedBy.length === 0)
  if (isFinal) return verdict
  if (isOpen) return allowed
  // In quotes `~` is no home, and that is no longer to be seen here.
  const isUncertain = target.startsWith('~') || climbsBack(target) || (hasMoved && !target.startsWith('/'))
  return isUncertain ? askAlways(`it is not known in which folder ${target} lies`, [tool]) : verdict
}

/** Looks also into `--file=path` and `-opath`. */
function namesProtected({ text: word, certainty }: ShellWord, judge: Judge): boolean {
  const candidates = [word, word.slice(word.indexOf('=') + 1), word.replace(/^-\w/, '')]
  return [...new Set(candidates)].some((text) => {
    if (certainty !== 'literal' && couldMeanProtected(text)) return true
    const location = text === '' ? undefined : judge.world.locate(toPath(text, judge))
    return location !== undefined && isProtectedLocation(location, judge.world)
  })
}

/** The path that a word means where the command runs. For the shell `file:x` and `a://b` are names of files. */
function toPath(word: string, { folder, world }: Judge): string {
  const path = word.replace(/^~(?=\/|$)/, () => world.home)
  return path.startsWith('/') ? path : `${folder}/${path}`
}

/** `link/../x` lies beside what the link leads to, not beside the link. */
function climbsBack(path: string): boolean {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  return names.some((name, at) => name === '..' && at > 0 && names[at - 1] !== '..')
}
