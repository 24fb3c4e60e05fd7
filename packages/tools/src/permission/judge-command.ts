import { dangerOf, isReader, nameOf, takesCode } from '../command-line/command-dangers.js'
import { parseCommandLine, type Redirection, type SimpleCommand } from '../command-line/command-line.js'
import { hiddenCommand } from '../command-line/hidden-commands.js'
import { interpreters } from '../command-line/known-programs.js'
import { bringsLinksBeside, linkMakerBeside } from '../command-line/line-links.js'
import { prefixLength } from '../command-line/rule-prefix.js'
import { quoteWord, type ShellWord } from '../command-line/shell-word.js'
import { mentionsProtected } from '../protected/protected-paths.js'
import { because, type Reason } from '../reasons/reason.js'
import { foldCase } from '../workspace/fold-case.js'
import { isInside } from '../workspace/paths.js'
import { deniesPath, judgePath, type Location, type PathWorld, protectedReason } from './judge-path.js'
import { allowsCommand, deniesCommand } from './match-command.js'
import { countPaths, namesProtected, pathsIn } from './named-paths.js'
import {
  commandTool,
  exactCommandRule,
  isRuleForTool,
  type PermissionRule,
  parsePermissionRule,
  prefixCommandRule,
  type RuleSet,
} from './permission-rule.js'
import { judgeUnhidden, readDenials } from './read-denials.js'
import { folderEntered, readsInside } from './reads-inside.js'
import { allowed, askAlways, combine, type JudgedPart, type Verdict } from './verdict.js'
import { judgeWildWord, judgeWrittenPaths, steeredUnnamed, wildMatches } from './written-paths.js'

interface CommandUse {
  readonly tool: string
  readonly line: string
  /** The folder it would run in. */
  readonly folder: string
  /** False if no sandbox would confine it. */
  readonly confined: boolean
}

/** The rules' verdict on a command line: it is allowed only if every part of it is. */
export function judgeCommandLine(use: CommandUse, rules: RuleSet, world: PathWorld): Verdict {
  const verdict = judgeLine(use, rules, world)
  if (use.confined || verdict.kind !== 'ask') return verdict
  // The user should know this before they agree.
  return { ...verdict, reason: because('unconfined', verdict.reason) }
}

function judgeLine(use: CommandUse, rules: RuleSet, world: PathWorld): Verdict {
  const { tool, line, folder } = use
  const place = world.locate(folder)
  if (place === undefined) return askAlways(because('not-located', folder))
  const judge = judgeFor(use, place.real, rules, world)
  const parsed = parseLine(line)
  if (parsed.kind === 'unparsed')
    return combine([judgeUnparsed(line, parsed.reason, judge), judgeUnhiddenLine(use, judge)])
  const { commands } = parsed
  if (commands.length === 0) return askAlways(because('empty-line'), [tool])
  const entering = enteringOf(commands, judge)
  const places = [judge, ...(entering ? [inFolder(judge, entering.folder)] : [])]
  const parts = commands.map((command) =>
    combine(places.map((place) => judgePart(command, { ...place, commands, ...(entering && { entering }) }))),
  )
  const before = [judgeFolder(commands, judge, entering), judgeMentions(commands)]
  const after = combine(places.map((place) => judgeUnhiddenLine(use, place, commands)))
  const verdict = combine([...before, ...parts, after])
  if (verdict.kind !== 'ask') return verdict
  const whole = combine([...before, after])
  return {
    ...verdict,
    parts: commands.map((command, index) => describePart(command, parts[index])),
    ...(whole.kind === 'ask' && { lineReason: whole.reason }),
  }
}

function judgePart(command: SimpleCommand, judge: LineJudge): Verdict {
  return combine([
    judgeCommand(command, judge),
    ...command.redirections.map((redirection) => judgeRedirection(redirection, command, judge)),
  ])
}

/** The part is shown beside its reason, so the reason need not repeat it. */
function describePart(command: SimpleCommand, verdict: Verdict | undefined): JudgedPart {
  const { text } = command
  if (verdict?.kind !== 'ask') return { text }
  return { text, reason: verdict.reason.code === 'no-rule' ? because('no-rule-for-part') : verdict.reason }
}

/**
 * In a sandbox, paths that must not be read are hidden. Without one the user is asked, and also for a line that cannot
 * be parsed.
 */
function judgeUnhiddenLine(
  { confined }: CommandUse,
  { rules, world, folder }: Judge,
  commands?: readonly SimpleCommand[],
): Verdict {
  if (confined) return allowed
  if (commands) return judgeUnhidden(commands, { rules, world, folder })
  const [denial] = readDenials(rules)
  return denial ? askAlways(because('line-may-read-denied', denial.text)) : allowed
}

interface Judge {
  readonly tool: string
  readonly rules: RuleSet
  readonly world: PathWorld
  /** The real folder it would run in, and the path as the call names it. */
  readonly folder: string
  readonly written: string
  /** The user allowed any command at all. */
  readonly isOpen: boolean
  /** A sandbox would confine it. */
  readonly confined: boolean
  readonly allow: readonly PermissionRule[]
  /** Denials of single commands. */
  readonly deny: readonly PermissionRule[]
  locate(word: string): Location | undefined
}

type LineJudge = Judge & { readonly commands: readonly SimpleCommand[]; readonly entering?: Entering }

/** A `cd` that opens a line of commands which only read: they read there, or here if it fails. */
interface Entering {
  readonly command: SimpleCommand
  readonly folder: string
}

function enteringOf(commands: readonly SimpleCommand[], judge: Judge): Entering | undefined {
  const [command, ...others] = commands
  const folder = command && judge.tool === commandTool ? folderEntered(command, judge) : undefined
  if (command === undefined || folder === undefined) return undefined
  const isReading = (other: SimpleCommand) =>
    [judge, inFolder(judge, folder)].every((place) => readsInside(other, place))
  return others.every(isReading) ? { command, folder } : undefined
}

function inFolder(judge: Judge, folder: string): Judge {
  const { world } = judge
  return { ...judge, folder, locate: (word) => world.locate(toPath(word, folder, world.home)) }
}

function judgeFor(
  { tool, confined, folder: written }: CommandUse,
  folder: string,
  rules: RuleSet,
  world: PathWorld,
): Judge {
  const speaking = (rule: PermissionRule) => isRuleForTool(rule, tool)
  return {
    tool,
    rules,
    world,
    folder,
    written,
    confined,
    isOpen: rules.allow.some((rule) => speaking(rule) && rule.target.kind === 'anything'),
    allow: rules.allow.filter(speaking),
    deny: rules.deny.filter((rule) => speaking(rule) && rule.target.kind === 'command'),
    locate: (word) => world.locate(toPath(word, folder, world.home)),
  }
}

/** A model may write a line of any length, and each word is looked up on disk while the user waits. */
const limits = { letters: 100_000, words: 500, paths: 2_000 }

function parseLine(line: string): ReturnType<typeof parseCommandLine> {
  if (line.length > limits.letters) return { kind: 'unparsed', reason: because('too-long', limits.letters) }
  const parsed = parseCommandLine(line)
  if (parsed.kind === 'unparsed') return parsed
  const words = parsed.commands.flatMap((command) => [...command.words, ...command.redirections])
  if (words.length > limits.words)
    return { kind: 'unparsed', reason: because('too-many-words', limits.words) }
  return countPaths(parsed.commands) > limits.paths
    ? { kind: 'unparsed', reason: because('too-many-paths', limits.paths) }
    : parsed
}

const movers = new Set(['cd', 'pushd', 'popd', 'command', 'builtin'])

/**
 * A rule that allows every command also allows lines that cannot be parsed, unless a denied command may be hidden in
 * them.
 */
function judgeUnparsed(line: string, reason: Reason, { tool, isOpen, deny }: Judge): Verdict {
  const isGuarded = mentionsProtected(line)
  if (isOpen && deny.length === 0 && !isGuarded) return allowed
  const code = isGuarded ? 'not-understood-protected' : 'not-understood'
  return askAlways(because(code, reason), isOpen ? [] : [tool])
}

/**
 * A folder below may be another repository whose config runs commands, so `git status` is not the same there. Commands
 * that only read are judged where they run.
 */
function judgeFolder(commands: readonly SimpleCommand[], judge: Judge, entering?: Entering): Verdict {
  const { tool, isOpen, world, folder } = judge
  if (isOpen || world.roots.includes(folder)) return allowed
  const isReading = (command: SimpleCommand) => command === entering?.command || reads(command, judge)
  if (world.isOpened(folder) && commands.every(isReading)) return allowed
  return askAlways(because('other-folder', judge.written), [tool])
}

function reads(command: SimpleCommand, judge: Judge): boolean {
  return judge.tool === commandTool && readsInside(command, judge)
}

/**
 * `bash -c 'echo x > .git/hooks/y'`: if a command runs its words as code, any text of the line may be a path. The
 * sandbox protects against paths that are not written out.
 */
function judgeMentions(commands: readonly SimpleCommand[]): Verdict {
  const runsText = commands.some(takesCode)
  const texts = commands.flatMap(({ words, assignments }) => [...assignments, ...(runsText ? words : [])])
  const guarded = texts.find(({ text }) => mentionsProtected(text.replace(/^\w+\+?=/, '')))
  return guarded ? askAlways(protectedReason(guarded.text)) : allowed
}

function judgeCommand(command: SimpleCommand, judge: LineJudge): Verdict {
  const { tool, isOpen, world, commands } = judge
  const denial = judgeDenials(command, judge)
  if (denial) return denial
  const named = [...command.words, ...command.assignments]
  const guarded = named.find((word) => namesProtected(word, judge.locate, world))
  if (guarded) return askAlways(protectedReason(guarded.text))
  const written = judgeWrittenPaths(command, judge)
  if (written.kind !== 'allow') return written
  const climbing = isOpen ? undefined : command.words.find(({ text }) => climbsBack(text))
  if (climbing) return askAlways(because('unknown-target', climbing.text), [tool])
  const maker = isOpen ? undefined : linkMakerBeside(command, commands, 'words')
  if (maker !== undefined) return askAlways(because('link-maker', maker), [tool])
  return named.length === 0 ? allowed : judgeByRules(command, judge)
}

/** Undefined if no denial covers the command. */
function judgeDenials(command: SimpleCommand, judge: Judge): Verdict | undefined {
  const denials = judge.deny.map((rule) => ({ rule, match: deniesCommand(rule, command) }))
  const denial = denials.find(({ match }) => match === 'yes')
  if (denial) return { kind: 'deny', rule: denial.rule.text }
  const doubt = denials.find(({ match }) => match === 'maybe')?.rule ?? deniedPath(command, judge)
  return doubt && askAlways(because('rule-may-deny', doubt.text))
}

/** A denial for the tools that read or change a file also covers a command that names the file. */
function deniedPath(command: SimpleCommand, judge: Judge): PermissionRule | undefined {
  const { rules, world, locate } = judge
  const denials = rules.deny.filter(({ target }) => target.kind === 'path')
  if (denials.length === 0) return undefined
  const tools = isReader(command) ? ['Read'] : ['Read', 'Edit']
  const locations = command.words
    .slice(1)
    .flatMap(({ text }) => pathsIn(text))
    .flatMap((path) => locate(path) ?? [])
    .concat(wildMatches(command, judge))
  return denials.find((rule) => locations.some((location) => deniesPath(rule, tools, location, world)))
}

function judgeByRules(command: SimpleCommand, judge: LineJudge): Verdict {
  const { tool, isOpen, allow, deny, folder } = judge
  if (isOpen && deny.length === 0) return allowed
  const danger = dangerOf(command) ?? (isOpen ? hiddenCommand(command) : undefined)
  if (isOpen && danger === undefined) return allowed
  if (!isOpen && (command === judge.entering?.command || isFreeReading(command, judge))) return allowed
  const answers = allow.map((rule) => allowsCommand(rule, command, folder))
  const covering = allow.filter((_, at) => answers[at] === true)
  const isCovered = covering.length > 0
  const away = isCovered
    ? (scriptElsewhere(command, judge) ??
      remoteHere(command, judge) ??
      steeredUnnamed(command, covering, judge))
    : undefined
  if (isCovered && away === undefined) return allowed
  const nearly = answers.find((answer) => typeof answer === 'object')
  return askForCommand(command, away ?? danger ?? nearly, tool)
}

/** No other command of the line brings links that lead elsewhere by the time it reads. */
function isFreeReading(command: SimpleCommand, judge: LineJudge): boolean {
  return reads(command, judge) && !bringsLinksBeside(command, judge.commands)
}

/** An interpreter may only run a file in an opened folder, because a link may lead to a pipe or anywhere else. */
function scriptElsewhere({ words }: SimpleCommand, { locate, world }: Judge): Reason | undefined {
  const [first, ...args] = words
  if (first === undefined || !interpreters.has(nameOf(first))) return undefined
  const operands = args.filter(({ text }) => !text.startsWith('-'))
  // `node --test a b`, `bun run a`, `deno test a b`.
  const isEach = /^(?:bun|deno)$/.test(nameOf(first)) || args.some(({ text }) => text === '--test')
  const scripts = isEach ? operands : operands.slice(0, 1)
  const away = scripts.find(({ text }) => {
    const real = locate(text)?.real
    return real === undefined || !world.roots.some((root) => isInside(root, real))
  })
  return away && because('script-elsewhere', away.text)
}

/** If no remote has this name, git pushes to the folder of this name, whose hooks then run. */
function remoteHere(
  { words: [first, ...rest] }: SimpleCommand,
  { folder, world }: Judge,
): Reason | undefined {
  const [subcommand, remote = 'origin'] = rest.map(({ text }) => text).filter((text) => !text.startsWith('-'))
  if (first === undefined || nameOf(first) !== 'git' || subcommand !== 'push') return undefined
  const here = world.entriesOf(folder).find(({ name }) => foldCase(name).replace(/\.git$/, '') === remote)
  return here && because('remote-here', here.name)
}

function unruled({ assignments, words }: SimpleCommand): Reason {
  return because('no-rule', [...assignments, ...words].map(({ text }) => quoteWord(text)).join(' '))
}

function askForCommand(command: SimpleCommand, danger: Reason | undefined, tool: string): Verdict {
  const parts = [...command.assignments, ...command.words]
  const reason = danger ?? unruled(command)
  // Only rules for this tool cover commands.
  if (tool !== commandTool || parts.some((word) => word.certainty !== 'literal'))
    return askAlways(reason, [tool])
  const rule = exactCommandRule(parts.map(({ text }) => text))
  // Assignments without a command cannot be written as a rule.
  if (parsePermissionRule(rule).kind === 'fault') return askAlways(reason, [tool])
  const wider = prefixRule(command)
  return { kind: 'ask', reason, allowedBy: [rule], lasting: [[rule], ...(wider ? [[wider]] : [])] }
}

/** The rule that a person would write for such commands, if it covers this one (see decision 0008). */
function prefixRule(command: SimpleCommand): string | undefined {
  const texts = command.words.map(({ text }) => text)
  const length = prefixLength(texts)
  if (length === undefined) return undefined
  const named = [...command.assignments.map(({ text }) => text), ...texts.slice(0, length)]
  const parsed = parsePermissionRule(prefixCommandRule(named))
  return parsed.kind === 'rule' && allowsCommand(parsed.rule, command) === true ? parsed.rule.text : undefined
}

/** A redirection that writes counts as Write. Bash itself turns /dev/tcp and /dev/udp into connections. */
function judgeRedirection(
  { effect, target }: Redirection,
  command: SimpleCommand,
  judge: LineJudge,
): Verdict {
  const { tool, isOpen, world } = judge
  const { text, certainty } = target
  if (effect === 'none' || (certainty === 'literal' && text === '/dev/null')) return allowed
  if (certainty !== 'literal' && namesProtected(target, judge.locate, world))
    return askAlways(protectedReason(text))
  if (certainty === 'glob' && effect === 'write') {
    const wild = judgeWildWord(target, judge)
    if (wild.kind !== 'allow') return wild
  }
  if (certainty !== 'literal' || /^\/dev\/(?:tcp|udp)\//.test(text)) {
    return isOpen ? allowed : askAlways(because('unknown-redirection', text), [tool])
  }
  return effect === 'read' ? judgeReading(target, judge) : judgeWriting(text, command, judge)
}

function judgeReading({ text }: ShellWord, { rules, world, locate }: Judge): Verdict {
  const location = locate(text)
  const denial = location && rules.deny.find((rule) => deniesPath(rule, ['Read'], location, world))
  return denial ? { kind: 'deny', rule: denial.text } : allowed
}

function judgeWriting(target: string, command: SimpleCommand, judge: LineJudge): Verdict {
  const { tool, isOpen, rules, world, folder, commands } = judge
  const path = toPath(target, folder, world.home)
  const verdict = judgePath({ tools: ['Write', 'Edit'], path }, rules, world)
  const isFinal = verdict.kind === 'deny' || (verdict.kind === 'ask' && verdict.allowedBy.length === 0)
  if (isFinal) return verdict
  if (isOpen) return allowed
  const hasMoved = commands.some(({ words }) => movers.has(words[0]?.text ?? ''))
  // In quotes `~` does not mean the home folder, but the quotes are no longer visible here.
  const isUncertain = target.startsWith('~') || climbsBack(target) || (hasMoved && !target.startsWith('/'))
  if (isUncertain) return askAlways(because('unknown-folder', target), [tool])
  const maker = linkMakerBeside(command, commands, 'redirection')
  if (maker !== undefined) return askAlways(because('link-maker', maker), [tool])
  // Offer a rule for this one file only, not for its folder.
  return verdict.kind === 'ask' ? { ...verdict, lasting: verdict.lasting.slice(0, 1) } : verdict
}

/** The path that a word means in the command's folder. For the shell, `file:x` and `a://b` are file names. */
function toPath(word: string, folder: string, home: string): string {
  const path = word.replace(/^~(?=\/|$)/, () => home)
  return path.startsWith('/') ? path : `${folder}/${path}`
}

/** `link/../x` is beside the target of the link, not beside the link. */
function climbsBack(path: string): boolean {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  return names.some((name, at) => name === '..' && at > 0 && names[at - 1] !== '..')
}
