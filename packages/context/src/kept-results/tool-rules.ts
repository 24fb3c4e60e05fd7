import { bashRule } from './bash.js'
import { defaultRule } from './default.js'
import { editRule } from './edit.js'
import { globRule } from './glob.js'
import { grepRule } from './grep.js'
import { lsRule } from './ls.js'
import { readRule } from './read.js'
import { skillRule } from './skill.js'
import { taskRule } from './task.js'
import { todoWriteRule } from './todo-write.js'
import type { ToolRule } from './tool-rule.js'
import { writeRule } from './write.js'

const rules: ReadonlyMap<string, ToolRule> = new Map([
  ['LS', lsRule],
  ['Glob', globRule],
  ['Grep', grepRule],
  ['Read', readRule],
  ['Edit', editRule],
  ['MultiEdit', editRule],
  ['Write', writeRule],
  ['Bash', bashRule],
  ['TodoWrite', todoWriteRule],
  ['Task', taskRule],
  ['Skill', skillRule],
])

/** The rule for a tool. Foreign and unknown tools use the default. */
export function ruleOf(tool: string): ToolRule {
  return rules.get(tool) ?? defaultRule
}
