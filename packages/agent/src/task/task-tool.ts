import type { AgentEvent } from '@mutsumi/schema'
import { defineTool, type Tool } from '@mutsumi/tools'
import { array, enum as oneOf, strictObject, string } from 'zod'
import { taskDescription } from './task-description.js'

/** The type of a sub-agent, which decides the tools it may use. */
export type SubAgentType = 'general' | 'explore' | 'plan' | 'review'

export interface SubAgentTask {
  readonly description: string
  readonly prompt: string
  readonly type: SubAgentType
  /** Within the parent's folders. */
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

const task = {
  description: string().trim().min(1).max(200),
  prompt: string().trim().min(1).max(100_000),
  subagent_type: oneOf(['general', 'explore', 'plan', 'review']).default('general'),
}

/** The text protocol allows one action per reply, so one call may contain several tasks. */
const parameters = strictObject({ ...task, more: array(strictObject(task)).max(7).default([]) })

/** Task: other agents, each with its own session, do parts of the work and report. */
export function createTaskTool(run: RunSubAgent): Tool {
  return defineTool({
    ...taskDescription,
    parameters,
    async run({ more, ...first }, { allowed, signal = new AbortController().signal }) {
      const reports = await Promise.all(
        [first, ...more].map(async ({ description, prompt, subagent_type: type }) => ({
          description,
          ...(await run({ description, prompt, type, allowed }, signal)),
        })),
      )
      const [only] = reports
      return reports.length === 1 && only ? oneReport(only) : allReports(reports)
    },
  })
}

interface NamedReport extends SubAgentReport {
  readonly description: string
}

function oneReport({ description, status, report, session, steps }: NamedReport) {
  const data = { description, session, steps, report }
  if (status === 'done') return { status: 'success' as const, data, text: report }
  return { status: 'error' as const, error: problemOf({ description, status, report }), data }
}

/** Reports of some sub-agents are useful even if others failed. */
function allReports(reports: readonly NamedReport[]) {
  const failed = reports.filter(({ status }) => status !== 'done')
  const report = reports.map(headedReport).join('\n\n')
  const denied = failed.find(({ status }) => status === 'denied')
  const data = {
    ...{ tasks: reports.length, failed: failed.length, report },
    ...(denied && { denied: denied.report }),
  }
  const [first] = failed
  if (failed.length === reports.length && first)
    return { status: 'error' as const, error: problemOf(first), data }
  return { status: failed.length > 0 ? ('partial' as const) : ('success' as const), data, text: report }
}

function headedReport({ description, status, report, session }: NamedReport): string {
  const how = status === 'done' ? '' : ` (${status})`
  return `## ${description}${how}\n${report}\n(session: ${session || 'none'})`
}

/** If a sub-agent lacked a permission, so does this call, and the user must be told. */
function problemOf({ status, report }: Pick<NamedReport, 'description' | 'status' | 'report'>) {
  const code = status === 'denied' ? ('PERMISSION_DENIED' as const) : ('EXECUTION_ERROR' as const)
  return { code, message: `the sub-agent ended with "${status}": ${report}` }
}
