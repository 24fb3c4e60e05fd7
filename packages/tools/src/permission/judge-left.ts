import type { LeftPlace } from '../contract/left-places.js'
import { mentionsProtected } from '../protected/protected-paths.js'
import { because } from '../reasons/reason.js'
import { allowsPath, deniesPath, type Location, type PathWorld } from './judge-path.js'
import type { RuleSet } from './permission-rule.js'
import { allowed, askAlways, combine, type Verdict } from './verdict.js'

/**
 * The rules' verdict on a protected place that a command made: as on a Write of each file in it. A protected path always
 * asks, whatever it is called in a wide rule such as `Write(**)`. Here only a rule that names something protected
 * itself allows it (`Write(.vscode/**)`), and never for a link, because writing a file makes none.
 */
export function judgeLeft({ path, files }: LeftPlace, rules: RuleSet, world: PathWorld): Verdict {
  // In an empty folder, any file.
  const written = files === undefined ? [path] : files.length > 0 ? files : [`${path}/${anyName}`]
  return combine(written.map((file) => judgeFile(file, { rules, world, isKnown: files !== undefined })))
}

interface Judging {
  readonly rules: RuleSet
  readonly world: PathWorld
  /** False: it is a link, or it contains one, or too much to judge. */
  readonly isKnown: boolean
}

function judgeFile(file: string, { rules, world, isKnown }: Judging): Verdict {
  // As it was when the command made it: nothing is there now, so no link is followed.
  const location: Location = { written: file, real: file }
  const denial = rules.deny.find((rule) => deniesPath(rule, writing, location, world))
  if (denial) return { kind: 'deny', rule: denial.text }
  const naming = rules.allow.filter(({ text }) => mentionsProtected(text))
  if (isKnown && naming.some((rule) => allowsPath(rule, writing, location, world))) return allowed
  return askAlways(because('protected', file))
}

const writing = ['Write']

/** A name that no pattern contains. */
const anyName = '\u0001'
