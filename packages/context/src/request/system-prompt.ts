import type { ContextSettings } from '../ground/settings.js'
import ghostAppended from '../prompts/ghost-appended.md'
import ghostJson from '../prompts/ghost-json.md'
import ghostRaw from '../prompts/ghost-raw.md'
import subAgent from '../prompts/sub-agent.md'
import system from '../prompts/system.md'
import { withoutTags } from '../text/without-tags.js'

export interface SystemPromptOptions {
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
  /** The description of the tools for the model. */
  readonly toolPrompt?: string
  readonly ghost?: ContextSettings['ghost']
  /** The user's own text, which comes last. */
  readonly appended?: string
}

/**
 * L1: the agent's identity and the folders it may use. It contains no time and no file listing, so its bytes stay the
 * same for a whole session.
 */
export function getSystemPrompt({
  allowedUris,
  isSubAgent,
  toolPrompt,
  ghost,
  appended,
}: SystemPromptOptions): string {
  // The replacement is a function, because a URI may contain `$&`.
  const identity = system.replace('{{ALLOWED_URIS}}', () => allowedUris.map(bullet).join('\n'))
  const parts = [
    identity,
    isSubAgent ? subAgent : '',
    ghostJson,
    ghost?.format === 'raw' ? ghostRaw : '',
    ghost?.placement === 'appended' ? ghostAppended : '',
    // Foreign tools write their own descriptions here.
    withoutTags(toolPrompt ?? ''),
    withoutTags(appended ?? ''),
  ]
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')
}

/** The addresses come from the session file, which anyone may have written. */
function bullet(uri: string): string {
  return `- ${withoutTags(uri.replace(/\s+/g, ' '))}`
}
