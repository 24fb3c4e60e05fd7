import type { ToolDescription } from './define-tool.js'
import bashPrompt from './prompts/bash.md'
import editPrompt from './prompts/edit.md'
import globPrompt from './prompts/glob.md'
import grepPrompt from './prompts/grep.md'
import lsPrompt from './prompts/ls.md'
import multiEditPrompt from './prompts/multi-edit.md'
import readPrompt from './prompts/read.md'
import recallPrompt from './prompts/recall.md'
import skillPrompt from './prompts/skill.md'
import todoWritePrompt from './prompts/todo-write.md'
import writePrompt from './prompts/write.md'

// Apart from the code behind the tools, so that a request can be built without loading it.

export const lsDescription: ToolDescription = { name: 'LS', effect: 'read', prompt: lsPrompt.trim() }

export const readDescription: ToolDescription = { name: 'Read', effect: 'read', prompt: readPrompt.trim() }

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

export const writeDescription: ToolDescription = {
  name: 'Write',
  effect: 'write',
  prompt: writePrompt.trim(),
}

export const editDescription: ToolDescription = { name: 'Edit', effect: 'write', prompt: editPrompt.trim() }

export const multiEditDescription: ToolDescription = {
  name: 'MultiEdit',
  effect: 'write',
  prompt: multiEditPrompt.trim(),
}

export const bashDescription: ToolDescription = {
  name: 'Bash',
  effect: 'execute',
  prompt: bashPrompt.trim(),
}

export const skillDescription: ToolDescription = { name: 'Skill', effect: 'read', prompt: skillPrompt.trim() }
