import type { ToolDescription } from './define-tool.js'
import editPrompt from './prompts/edit.md'
import multiEditPrompt from './prompts/multi-edit.md'
import writePrompt from './prompts/write.md'

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
