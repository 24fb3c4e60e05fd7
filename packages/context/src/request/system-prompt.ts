import type { ContextSettings } from '../ground/settings.js'
import ghostJson from '../prompts/ghost-json.md'
import ghostRaw from '../prompts/ghost-raw.md'
import subAgent from '../prompts/sub-agent.md'
import system from '../prompts/system.md'
import { withoutTags } from '../text/without-tags.js'

export interface SystemPromptOptions {
  readonly allowedUris: readonly string[]
  readonly isSubAgent: boolean
  /** How the tools are described to the model. */
  readonly toolPrompt?: string
  readonly ghost?: ContextSettings['ghost']
  /** The user's own words; they come last. */
  readonly appended?: string
}

/** L1: who the agent is and what it may touch. No clock and no listing: the same bytes for a whole session. */
export function getSystemPrompt({
  allowedUris,
  isSubAgent,
  toolPrompt,
  ghost,
  appended,
}: SystemPromptOptions): string {
  // A function as the replacement, because a URI may hold `$&`.
  const identity = system.replace('{{ALLOWED_URIS}}', () => allowedUris.map(bullet).join('\n'))
  const parts = [
    identity,
    isSubAgent ? subAgent : '',
    ghostJson,
    ghost?.format === 'raw' ? ghostRaw : '',
    // Tools that others bring describe themselves here.
    withoutTags(toolPrompt ?? ''),
    withoutTags(appended ?? ''),
  ]
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')
}

/** A session file may come from anyone, and names the addresses. */
function bullet(uri: string): string {
  return `- ${withoutTags(uri.replace(/\s+/g, ' '))}`
}
