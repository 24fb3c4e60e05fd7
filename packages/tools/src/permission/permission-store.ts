import { join } from 'node:path'
import type { WordedPhrase } from '@mutsumi/schema'
import { array, enum as enumOf, object, type output, string } from 'zod'
import { outcomeWords } from '../reasons/outcome.js'
import { withConfigLock } from '../user/config-lock.js'
import {
  readConfigFile,
  type Saving,
  type StoreFault,
  userConfigFolder,
  writeConfigFile,
} from '../user/user-config.js'
import { type PermissionRule, parsePermissionRule, type RuleSet } from './permission-rule.js'

/** A rule of the file, as it is written there. */
export interface HeldRule {
  readonly rule: string
  readonly decision: RuleDecision
  /** The workspace in which it is valid. Absent: everywhere. */
  readonly root?: string | undefined
}

export type HeldRules = { readonly kind: 'rules'; readonly rules: readonly HeldRule[] } | StoreFault

export type StoredRules = { readonly kind: 'rules'; readonly rules: RuleSet } | StoreFault

/** The workspace of a rule, and whether it allows or denies. */
export interface RulePlace {
  readonly decision: RuleDecision
  /** The workspace. Undefined: everywhere. */
  readonly root: string | undefined
}

/**
 * The user's permanent answers, in their own config. An answer for one workspace is valid only there, because `npm
 * test` runs something else in every project.
 */
export class PermissionStore {
  readonly #file: string

  get file(): string {
    return this.#file
  }

  constructor(folder: string = userConfigFolder()) {
    this.#file = join(folder, 'permissions.json')
  }

  /** The rules for a workspace. One invalid rule makes the whole file invalid, because it may have been a denial. */
  load(root: string): StoredRules {
    const reading = this.#read()
    if (reading.kind === 'fault') return reading
    const holding = reading.content.rules.filter((stored) => holdsIn(stored, root))
    const parsed = holding.map((stored) => ({ decision: stored.decision, rule: parseStored(stored) }))
    const broken = parsed.flatMap(({ rule }) => ('message' in rule ? [rule.phrase] : []))[0]
    if (broken) return { kind: 'fault', ...outcomeWords('about', this.#file, broken) }
    const rulesFor = (decision: RuleDecision) =>
      parsed.flatMap(({ decision: made, rule }) => (made === decision && !('message' in rule) ? [rule] : []))
    return { kind: 'rules', rules: { allow: rulesFor('allow'), deny: rulesFor('deny') } }
  }

  /** The rules for a workspace, valid or not. */
  list(root: string): HeldRules {
    const reading = this.#read()
    if (reading.kind === 'fault') return reading
    return { kind: 'rules', rules: reading.content.rules.filter((stored) => holdsIn(stored, root)) }
  }

  /** Adds a permission for a workspace. An unreadable file is not changed. */
  allow(root: string, rules: readonly PermissionRule[]): Saving {
    return this.add(rules, { decision: 'allow', root })
  }

  /** An existing rule is not written twice. */
  add(rules: readonly PermissionRule[], { decision, root }: RulePlace): Saving {
    const added = rules.map(
      ({ text }): StoredRule => ({ rule: text, decision, ...(root !== undefined && { root }) }),
    )
    const broken = added.map(parseStored).find((parsed) => 'message' in parsed)
    if (broken && 'message' in broken) return { kind: 'fault', ...broken }
    const loaded = this.load(root ?? '')
    if (loaded.kind === 'fault') return loaded
    return this.#change((known) => [
      ...known,
      ...added.filter((rule) => !known.some((stored) => isSame(stored, rule))),
    ])
  }

  /** Removes a rule that is valid in a workspace, allowed or denied, here or everywhere. */
  remove(text: string, root: string): Saving {
    const reading = this.list(root)
    if (reading.kind === 'fault') return reading
    if (!reading.rules.some(({ rule }) => rule === text))
      return { kind: 'fault', ...outcomeWords('no-such-rule', text) }
    return this.#change((known) => known.filter((stored) => stored.rule !== text || !holdsIn(stored, root)))
  }

  #change(change: (known: readonly StoredRule[]) => readonly StoredRule[]): Saving {
    return withConfigLock(this.#file, () => {
      const reading = this.#read()
      if (reading.kind === 'fault') return reading
      const rules = change(reading.content.rules)
      const isSameList = rules.length === reading.content.rules.length
      return isSameList ? { kind: 'saved' } : writeConfigFile(this.#file, { ...reading.content, rules })
    })
  }

  #read() {
    const reading = readConfigFile(this.#file, permissionFile)
    return reading.kind === 'missing' ? ({ kind: 'content', content: { rules: [] } } as const) : reading
  }
}

const storedRule = object({
  rule: string(),
  decision: enumOf(['allow', 'deny']),
  /** The workspace in which it is valid. Absent: everywhere. */
  root: string().optional(),
})
const permissionFile = object({ rules: array(storedRule) })

type StoredRule = output<typeof storedRule>
type RuleDecision = StoredRule['decision']

/** A string says why the rule is invalid. */
function parseStored({ rule: text, decision, root }: StoredRule): PermissionRule | WordedPhrase {
  const parsed = parsePermissionRule(text)
  if (parsed.kind === 'fault') return parsed
  const { target } = parsed.rule
  const isLoose = target.kind === 'path' && target.pattern.base === 'workspace' && root === undefined
  return isLoose && decision === 'allow' ? outcomeWords('rule-needs-root', text) : parsed.rule
}

function holdsIn(stored: StoredRule, root: string): boolean {
  return (stored.root ?? root) === root
}

function isSame(one: StoredRule, other: StoredRule): boolean {
  return one.rule === other.rule && one.decision === other.decision && one.root === other.root
}
