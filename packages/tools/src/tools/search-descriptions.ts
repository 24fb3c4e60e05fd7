import type { ToolDescription } from './define-tool.js'
import globPrompt from './prompts/glob.md'
import grepPrompt from './prompts/grep.md'
import recallPrompt from './prompts/recall.md'
import todoWritePrompt from './prompts/todo-write.md'

// Apart from the code behind the tools, so that a request can be built without loading it.

export const globDescription: ToolDescription = { name: 'Glob', effect: 'read', prompt: globPrompt.trim() }

export const grepDescription: ToolDescription = { name: 'Grep', effect: 'read', prompt: grepPrompt.trim() }

/** It changes nothing outside the conversation. */
export const todoWriteDescription: ToolDescription = {
  name: 'TodoWrite',
  effect: 'read',
  prompt: todoWritePrompt.trim(),
}

export const recallDescription: ToolDescription = {
  name: 'Recall',
  effect: 'read',
  prompt: recallPrompt.trim(),
}
