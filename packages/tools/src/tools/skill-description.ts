import type { ToolDescription } from './define-tool.js'
import skillPrompt from './prompts/skill.md'

export const skillDescription: ToolDescription = { name: 'Skill', effect: 'read', prompt: skillPrompt.trim() }
