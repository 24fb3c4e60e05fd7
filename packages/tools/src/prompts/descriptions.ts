import {
  bashArguments,
  editArguments,
  globArguments,
  grepArguments,
  lsArguments,
  multiEditArguments,
  readArguments,
  recallArguments,
  skillArguments,
  todoWriteArguments,
  writeArguments,
} from './argument-schemas.js'
import type { ToolOutline } from '../contract/define-tool.js'
import bashPrompt from './bash.md'
import editPrompt from './edit.md'
import globPrompt from './glob.md'
import grepPrompt from './grep.md'
import lsPrompt from './ls.md'
import multiEditPrompt from './multi-edit.md'
import readPrompt from './read.md'
import recallPrompt from './recall.md'
import skillPrompt from './skill.md'
import todoWritePrompt from './todo-write.md'
import writePrompt from './write.md'

// Separate from the tools' code, so that a request can be built without loading it.

export const lsDescription: ToolOutline = { name: 'LS', effect: 'read', prompt: lsPrompt.trim(), schema: lsArguments }

export const readDescription: ToolOutline = { name: 'Read', effect: 'read', prompt: readPrompt.trim(), schema: readArguments }

export const globDescription: ToolOutline = { name: 'Glob', effect: 'read', prompt: globPrompt.trim(), schema: globArguments }

export const grepDescription: ToolOutline = { name: 'Grep', effect: 'read', prompt: grepPrompt.trim(), schema: grepArguments }

/** It changes nothing outside the conversation. */
export const todoWriteDescription: ToolOutline = {
  name: 'TodoWrite',
  effect: 'read',
  prompt: todoWritePrompt.trim(), schema: todoWriteArguments,
}

export const recallDescription: ToolOutline = {
  name: 'Recall',
  effect: 'read',
  prompt: recallPrompt.trim(), schema: recallArguments,
}

export const writeDescription: ToolOutline = {
  name: 'Write',
  effect: 'write',
  prompt: writePrompt.trim(), schema: writeArguments,
}

export const editDescription: ToolOutline = { name: 'Edit', effect: 'write', prompt: editPrompt.trim(), schema: editArguments }

export const multiEditDescription: ToolOutline = {
  name: 'MultiEdit',
  effect: 'write',
  prompt: multiEditPrompt.trim(), schema: multiEditArguments,
}

export const bashDescription: ToolOutline = {
  name: 'Bash',
  effect: 'execute',
  prompt: bashPrompt.trim(), schema: bashArguments,
}

export const skillDescription: ToolOutline = { name: 'Skill', effect: 'read', prompt: skillPrompt.trim(), schema: skillArguments }
