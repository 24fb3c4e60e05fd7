import { join } from 'node:path'
import { array, enum as enumOf, object, type output, string } from 'zod'
import { withConfigLock } from './config-lock.js'
import { type PermissionRule, parsePermissionRule, type RuleSet } from './permission-rule.js'
import { readConfigFile, type Saving, userConfigFolder, writeConfigFile } from './user-config.js'

export type StoredRules =
  | { readonly kind: 'rules'; readonly rules: RuleSet }
  | { readonly kind: 'fault'; readonly message: string }

/**
 * The answers that the user gave for always, in their own config. What was answered in one workspace
 * holds there only: `npm test` runs whatever the next project wants it to.
 */
export class PermissionStore {
  readonly #file: string

  constructor(folder: string = userConfigFolder()) {
    this.#file = join(folder, 'permissions.json')
  }

  /** The rules that hold in a workspace. One bad rule is a fault of the whole: it may have been a denial. */
  load(root: string): StoredRules {
    const reading = this.#read()
    if (reading.kind === 'fault') return reading
    const holding = reading.content.rules.filter((stored) => (stored.root ?? root) === root)
    const parsed = holding.map((stored) => ({ decision: stored.decision, rule: parseStored(stored) }))
    const broken = parsed.find(({ rule }) => typeof rule === 'string')
    if (broken) return { kind: 'fault', message: `${this.#file}: ${broken.rule}` }
    const rulesFor = (decision: Decision) =>
      parsed.flatMap(({ decision: made, rule }) =>
        made === decision && typeof rule !== 'string' ? [rule] : [],
      )
    return { kind: 'rules', rules: { allow: rulesFor('allow'), deny: rulesFor('deny') } }
  }

  /** Adds what the user allowed in a workspace. A file that cannot be read is left as it is. */
  allow(root: string, rules: readonly PermissionRule[]): Saving {
    return withConfigLock(this.#file, () => this.#add(root, rules))
  }

  #add(root: string, rules: readonly PermissionRule[]): Saving {
    const loaded = this.load(root)
    if (loaded.kind === 'fault') return loaded
    const reading = this.#read()
    if (reading.kind === 'fault') return reading
    const known = reading.content.rules
    const added = rules
      .filter(({ text }) => !known.some((stored) => isSame(stored, text, root)))
      .map(({ text }): StoredRule => ({ rule: text, decision: 'allow', root }))
    if (added.length === 0) return { kind: 'saved' }
    return writeConfigFile(this.#file, { ...reading.content, rules: [...known, ...added] })
  }

  #read() {
    const reading = readConfigFile(this.#file, permissionFile)
    return reading.kind === 'missing' ? ({ kind: 'content', content: { rules: [] } } as const) : reading
  }
}

const storedRule = object({
  rule: string(),
  decision: enumOf(['allow', 'deny']),
  /** The workspace it holds in; everywhere, where absent. */
  root: string().optional(),
})
const permissionFile = object({ rules: array(storedRule) })

type StoredRule = output<typeof storedRule>
type Decision = StoredRule['decision']

/** A string where it cannot hold: why. */
function parseStored({ rule: text, decision, root }: StoredRule): PermissionRule | string {
  const parsed = parsePermissionRule(text)
  if (parsed.kind === 'fault') return parsed.message
  const { target } = parsed.rule
  const isLoose = target.kind === 'path' && target.pattern.base === 'workspace' && root === undefined
  return isLoose && decision === 'allow' ? `the rule ${text} needs the root of its workspace` : parsed.rule
}

function isSame(stored: StoredRule, text: string, root: string): boolean {
  return stored.rule === text && stored.decision === 'allow' && stored.root === root
}
