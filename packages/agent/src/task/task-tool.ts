import type { AgentEvent } from '@mutsumi/schema'
import { defineTool, type Tool } from '@mutsumi/tools'
import { enum as oneOf, strictObject, string } from 'zod'
import { taskDescription } from './task-description.js'

/** What a sub-agent is for: what it may use follows from it. */
export type SubAgentType = 'general' | 'explore' | 'plan' | 'review'

export interface SubAgentTask {
  readonly description: string
  readonly prompt: string
  readonly type: SubAgentType
  /** Within what the parent may touch. */
  readonly allowed: readonly string[]
}

export interface SubAgentReport {
  readonly status: Extract<AgentEvent, { type: 'round-end' }>['status']
  readonly report: string
  /** The file of its session. */
  readonly session: string
  readonly steps: number
}

/** Starts a sub-agent and waits for its report. */
export type RunSubAgent = (task: SubAgentTask, signal: AbortSignal) => Promise<SubAgentReport>

const parameters = strictObject({
  description: string().trim().min(1).max(200),
  prompt: string().trim().min(1).max(100_000),
  subagent_type: oneOf(['general', 'explore', 'plan', 'review']).default('general'),
})

/** Task: another agent, with a session of its own, does a part of the work and reports. */
export function createTaskTool(run: RunSubAgent): Tool {
  return defineTool({
    ...taskDescription,
    parameters,
    async run(
      { description, prompt, subagent_type: type },
      { allowed, signal = new AbortController().signal },
    ) {
      const { status, report, session, steps } = await run({ description, prompt, type, allowed }, signal)
      const data = { description, session, steps, report }
      if (status === 'done') return { status: 'success', data, text: report }
      const message = `the sub-agent ended with "${status}": ${report}`
      return { status: 'error', error: { code: 'EXECUTION_ERROR', message }, data }
    },
  })
}
