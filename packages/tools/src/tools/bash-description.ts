import type { ToolDescription } from './define-tool.js'
import bashPrompt from './prompts/bash.md'

// Apart from the code behind the tool, so that a request can be built without loading it.

export const bashDescription: ToolDescription = {
  name: 'Bash',
  effect: 'execute',
  prompt: bashPrompt.trim(),
}
