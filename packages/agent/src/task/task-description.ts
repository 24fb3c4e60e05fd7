import type { JsonObject } from '@mutsumi/schema'
import prompt from '../prompts/task.md'
import { taskWords } from './task-words.js'

/** Without `more`: several calls of one reply already run in parallel. */
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

/** The description of Task, available before its code is loaded. */
export const taskDescription = {
  name: 'Task',
  // Each call of a sub-agent goes through the same permission gate.
  effect: 'read',
  prompt: prompt.trim(),
  schema,
  foreign: taskWords,
} as const
