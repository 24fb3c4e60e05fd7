import type { PermissionMode } from '@mutsumi/schema'
import { parsePermissionRule, type RuleSet } from './permission-rule.js'

/** The rules that hold in a mode for a call. `confined`: it is a command in a sandbox. Denials always hold. */
export function rulesInMode(
  mode: PermissionMode,
  { allow, deny }: RuleSet,
  { confined }: { readonly confined: boolean },
): RuleSet {
  switch (mode) {
    case 'plan':
      return { allow: [], deny }
    case 'ask':
      return { allow, deny }
    case 'edits':
      return { allow: [...allow, ...everyEdit], deny }
    case 'auto':
      return { allow: [...allow, ...everyEdit, ...(confined ? everyCommand : [])], deny }
    default:
      return mode satisfies never
  }
}

/** A rule without a path covers the folders that the user opened, and no protected place in them. */
const everyEdit = ruleOf('Edit')
const everyCommand = ruleOf('Bash')

function ruleOf(text: string): RuleSet['allow'] {
  const parsed = parsePermissionRule(text)
  return parsed.kind === 'rule' ? [parsed.rule] : []
}
