import { isReader, nameOf } from '../command-line/command-dangers.js'
import type { SimpleCommand } from '../command-line/command-line.js'
import { because } from '../reasons/reason.js'
import { deniedBelow, deniedByOtherName } from './hard-links.js'
import { judgeReading, type PathWorld } from './judge-path.js'
import { pathsIn } from './named-paths.js'
import type { PathRule, RuleSet } from './permission-rule.js'
import { allowed, askAlways, type Verdict } from './verdict.js'

// A denial of `Read(secrets/**)` applies to commands too. A sandbox hides the files that `findDenied` finds. Without a
// sandbox it is unknown what a command reads, except for a few programs that read only the files they name.

/** The rules that deny reading some files. */
export function readDenials({ deny }: RuleSet): readonly PathRule[] {
  return deny.filter(
    (rule): rule is PathRule => rule.target.kind === 'path' && (rule.tool === 'Read' || rule.tool === 'Grep'),
  )
}

/** A file that a rule denies may have a second name, as a hard link. */
export function judgeOtherNames(path: string, rules: RuleSet, world: PathWorld): Verdict {
  const denials = readDenials(rules)
  const location = denials.length > 0 ? world.locate(path) : undefined
  if (location === undefined) return allowed
  if (world.identityOf(location.real) === undefined) {
    const below = deniedBelow(location.real, denials, world)
    return below ? askAlways(because('denied-link', path, below.text)) : allowed
  }
  const denied = deniedByOtherName(location.real, denials, world)
  if (denied === undefined) return allowed
  return denied.unsure
    ? askAlways(because('denied-link', path, denied.rule.text))
    : { kind: 'deny', rule: denied.rule.text }
}

export interface ReadCommands {
  readonly rules: RuleSet
  readonly world: PathWorld
  /** The real folder it would run in. */
  readonly folder: string
}

/** For runs without a sandbox: every command that could read a denied file asks. */
export function judgeUnhidden(commands: readonly SimpleCommand[], reading: ReadCommands): Verdict {
  const [denial] = readDenials(reading.rules)
  if (denial === undefined) return allowed
  const doubtful = commands.find((command) => couldReadDenied(command, reading))
  if (doubtful === undefined) return allowed
  const name = doubtful.words[0]?.text ?? because('the-line')
  return askAlways(because('could-read-denied', name, denial.text))
}

/** They search the current folder if no path is given. */
const lookers = new Set(['ls', 'dir', 'vdir', 'du', 'grep', 'egrep', 'fgrep', 'exa', 'eza', 'lsd', 'tokei'])

function couldReadDenied(command: SimpleCommand, { rules, world, folder }: ReadCommands): boolean {
  const [first, ...rest] = command.words
  if (first === undefined) return false
  if (!isReader(command) || rest.some(({ certainty }) => certainty !== 'literal')) return true
  const named = rest.flatMap(({ text }) => pathsIn(text))
  const paths =
    lookers.has(nameOf(first)) && rest.filter(({ text }) => !text.startsWith('-')).length < 2
      ? ['.', ...named]
      : named
  return paths.some((path) => {
    const place = path.startsWith('/') ? path : `${folder}/${path.replace(/^~(?=\/|$)/, world.home)}`
    const byName = judgeReading({ tool: 'Grep', path: place, isFolder: true }, rules, world)
    return byName.kind !== 'allow' || judgeOtherNames(place, rules, world).kind !== 'allow'
  })
}
