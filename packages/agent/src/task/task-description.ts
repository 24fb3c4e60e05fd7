import type { JsonObject } from '@mutsumi/schema'
import prompt from '../prompts/task.md'

/** `more` is not among them: several calls of one reply run at the same time by themselves. */
const schema: JsonObject = {
  type: 'object',
  properties: {
    description: { type: 'string', description: 'short title' },
    prompt: { type: 'string', description: 'all it needs to know' },
    subagent_type: {
      type: 'string',
      enum: ['general', 'explore', 'plan', 'review'],
      description: 'explore, plan, review: read-only',
      default: 'general',
    },
  },
  required: ['description', 'prompt'],
}

/** What is known of Task before its code is loaded. */
export const taskDescription = {
  name: 'Task',
  // What a sub-agent does to files and commands goes through the same gate, call by call.
  effect: 'read',
  prompt: prompt.trim(),
  schema,
} as const
