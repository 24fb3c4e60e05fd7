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
import { skillWords } from '../foreign/skill-words.js'
import { bashWords } from '../foreign/bash-words.js'
import { editWords, multiEditWords, readWords, recallWords, writeWords } from '../foreign/file-words.js'
import { globWords, grepWords, lsWords } from '../foreign/search-words.js'
import { todoWriteWords } from '../foreign/todo-words.js'
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

export const lsDescription: ToolOutline = { name: 'LS', effect: 'read', prompt: lsPrompt.trim(), schema: lsArguments,
  foreign: lsWords }

export const readDescription: ToolOutline = { name: 'Read', effect: 'read', prompt: readPrompt.trim(), schema: readArguments,
  foreign: readWords }

export const globDescription: ToolOutline = { name: 'Glob', effect: 'read', prompt: globPrompt.trim(), schema: globArguments,
  foreign: globWords }

export const grepDescription: ToolOutline = { name: 'Grep', effect: 'read', prompt: grepPrompt.trim(), schema: grepArguments,
  foreign: grepWords }

/** It changes nothing outside the conversation. */
export const todoWriteDescription: ToolOutline = {
  name: 'TodoWrite',
  effect: 'read',
  prompt: todoWritePrompt.trim(), schema: todoWriteArguments,
  foreign: todoWriteWords,
}

export const recallDescription: ToolOutline = {
  name: 'Recall',
  effect: 'read',
  prompt: recallPrompt.trim(), schema: recallArguments,
  foreign: recallWords,
}

export const writeDescription: ToolOutline = {
  name: 'Write',
  effect: 'write',
  prompt: writePrompt.trim(), schema: writeArguments,
  foreign: writeWords,
}

export const editDescription: ToolOutline = { name: 'Edit', effect: 'write', prompt: editPrompt.trim(), schema: editArguments,
  foreign: editWords }

export const multiEditDescription: ToolOutline = {
  name: 'MultiEdit',
  effect: 'write',
  prompt: multiEditPrompt.trim(), schema: multiEditArguments,
  foreign: multiEditWords,
}

export const bashDescription: ToolOutline = {
  name: 'Bash',
  effect: 'execute',
  prompt: bashPrompt.trim(), schema: bashArguments,
  foreign: bashWords,
}

export const skillDescription: ToolOutline = { name: 'Skill', effect: 'read', prompt: skillPrompt.trim(), schema: skillArguments,
  foreign: skillWords }
