import type { ToolDescription } from './define-tool.js'
import lsPrompt from './prompts/ls.md'
import readPrompt from './prompts/read.md'

// Apart from the code behind the tools, so that a request can be built without loading it.

export const lsDescription: ToolDescription = { name: 'LS', effect: 'read', prompt: lsPrompt.trim() }

export const readDescription: ToolDescription = { name: 'Read', effect: 'read', prompt: readPrompt.trim() }
