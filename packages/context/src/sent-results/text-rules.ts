import { changeText } from './change-text.js'
import { commandText } from './command-text.js'
import { fileText } from './file-text.js'
import { listText } from './list-text.js'
import { matchesText } from './matches-text.js'
import { plainTextRule } from './plain-text.js'
import type { TextRule } from './text-rule.js'

const rules: ReadonlyMap<string, TextRule> = new Map([
  ['LS', listText('entries', ['path', 'offset'])],
  ['Glob', listText('paths', ['pattern', 'path'])],
  ['Grep', matchesText],
  ['Read', fileText],
  ['Recall', fileText],
  ['Edit', changeText],
  ['MultiEdit', changeText],
  ['Write', changeText],
  ['Bash', commandText],
  ['TodoWrite', plainTextRule('recap', ['summary', 'todos'])],
  ['Task', plainTextRule('report', ['description', 'steps'])],
  ['Skill', plainTextRule('content', ['name', 'origin', 'trusted', 'folder'])],
])

/** The rule of a tool. Foreign tools show their content. */
export function textRuleOf(tool: string): TextRule {
  return rules.get(tool) ?? (tool.startsWith('mcp__') ? serverText : otherText)
}

/** The tool's name contains the server's name, and the text names every picture. */
const serverText = plainTextRule('content', ['server', 'tool', 'media'])
const otherText = plainTextRule('content', [])
